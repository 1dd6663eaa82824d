// Loaded before the sources of the program (`--import`), also in its threads: makes it a later version, with one more
// migration.
import { migrations } from '../../src/storage/shared/schema.ts';

migrations.push('ALTER TABLE job ADD COLUMN later INTEGER');
