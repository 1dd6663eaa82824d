// Pythons of this machine, and how tests run a script with the client.
import { execFile, spawnSync } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';

const root = path.join(import.meta.dirname, '../..');

function find(probe: string): string | undefined {
  return ['python3', '/usr/bin/python3'].find((name) => spawnSync(name, ['-c', probe]).status === 0);
}

/** 3.9 or later, or undefined. */
export const python = find('import sys; sys.exit(sys.version_info < (3, 9))');
/** One that has httpx, or undefined. */
export const pythonWithHttpx = find('import httpx');
if (python === undefined) console.warn('Tests of the Python client are skipped: python3 is missing.');
else if (pythonWithHttpx === undefined)
  console.warn('Tests of the Python client for asyncio are skipped: install python3-httpx.');

/** Runs a script to its end and returns the JSON that it printed. Throws with standard error if it fails. */
export async function runPython<Answer>(
  program: string,
  script: string,
  { args = [], env = {} }: { readonly args?: readonly string[]; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<Answer> {
  const inherited = Object.entries(process.env).filter(([name]) => !/^(HAYRAKE_|PYTHON|https?_proxy$)/i.test(name));
  const { stdout } = await promisify(execFile)(program, ['-W', 'error', '-c', script, ...args], {
    env: {
      ...Object.fromEntries(inherited),
      PYTHONPATH: [path.join(root, 'clients/python'), path.join(root, 'clients/python/examples')].join(':'),
      PYTHONDONTWRITEBYTECODE: '1',
      ...env,
    },
    maxBuffer: 2 ** 28,
  });
  return JSON.parse(stdout) as Answer;
}
