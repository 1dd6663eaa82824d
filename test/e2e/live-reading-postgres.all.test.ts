import { describeOnPostgres } from '../service/on-postgres.ts';

describeOnPostgres(() => import('./live-reading.test.ts'));
