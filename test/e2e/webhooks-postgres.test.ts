import { describeOnPostgres } from '../service/on-postgres.ts';

describeOnPostgres(() => import('./webhooks.test.ts'));
