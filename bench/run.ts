// `npm run bench`: installs the peers' packages where they are missing, then runs main-job.ts with the arguments given.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';

const folder = fileURLToPath(new URL('.', import.meta.url));

if (!isInstalled()) run('npm', ['ci'], folder);
run(process.execPath, [path.join(folder, 'main-job.ts'), ...process.argv.slice(2)], process.cwd());

function isInstalled(): boolean {
  const { dependencies } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as {
    dependencies: Readonly<Record<string, string>>;
  };
  return Object.keys(dependencies).every((name) => existsSync(path.join(folder, 'node_modules', name)));
}

/** Ends this program, too, when the command fails. */
function run(command: string, args: readonly string[], cwd: string): void {
  const { status, error } = spawnSync(command, args, { cwd, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
