import { describeOnPostgres } from './on-postgres.ts';

describeOnPostgres(() => import('./loader-and-reader.test.ts'));
