import { describeOnPostgres } from './on-postgres.ts';

describeOnPostgres(() => import('./firecrawl.test.ts'));
