// Once for a run of the tests: the program that they start is bundled, which starts in a quarter less processor time than the sources.
import { bundleForTests } from '../scripts/bundle.ts';

export async function setup(): Promise<void> {
  process.env['TEST_PROGRAM'] = await bundleForTests();
}
