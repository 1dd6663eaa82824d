// `npm run bench`: installs the peers where they are missing, then runs main-job.ts with the arguments given.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

const folder = fileURLToPath(new URL('.', import.meta.url));

if (!existsSync(path.join(folder, 'node_modules'))) run('npm', ['ci'], folder);
run(process.execPath, [path.join(folder, 'main-job.ts'), ...process.argv.slice(2)], process.cwd());

/** Ends this program, too, when the command fails. */
function run(command: string, args: readonly string[], cwd: string): void {
  const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
