// A network and a view of the file system of a test's own: nothing in it reaches the machine's networks, and its name
// server is the one on 127.0.0.1.
import { execFile, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** Undefined if namespaces can be made here. */
export function whyNoNamespace(): string | undefined {
  if (process.platform !== 'linux') return 'network namespaces are a thing of Linux';
  if (process.getuid?.() !== 0) return 'making a network namespace takes root';
  const { status, stderr, error } = spawnSync('unshare', ['-n', '-m', 'ip', 'link', 'set', 'lo', 'up'], {
    encoding: 'utf8',
  });
  return status === 0 ? undefined : `unshare or ip does not work here: ${error?.message ?? stderr.trim()}`;
}

/** Runs a module to its end in a namespace whose loopback interface has these addresses; resolves with what it printed. */
export async function runInNamespace(
  command: readonly [module: string, argument: string],
  addresses: readonly string[],
): Promise<string> {
  const directory = await mkdtemp(path.join(tmpdir(), 'hayrake-namespace-'));
  try {
    await Promise.all(
      Object.entries(files).map(([name, text]) => writeFile(path.join(directory, path.basename(name)), text)),
    );
    const script = [
      'set -e',
      'ip link set lo up',
      ...addresses.map((address) => `ip addr add ${address}/${address.includes(':') ? '128' : '32'} dev lo`),
      ...Object.keys(files).map((name) => `mount --bind ${path.join(directory, path.basename(name))} ${name}`),
      'exec "$0" "$@"',
    ].join('\n');
    return await new Promise((resolve, reject) => {
      execFile(
        'unshare',
        ['-n', '-m', 'sh', '-c', script, process.execPath, ...command],
        { maxBuffer: 64 * 2 ** 20 },
        (error, stdout, stderr) => (error ? reject(new Error(`${error.message}\n${stderr}`)) : resolve(stdout)),
      );
    });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** No other source of names: a resolver behind a socket would answer from outside. */
const files: Readonly<Record<string, string>> = {
  '/etc/resolv.conf': 'nameserver 127.0.0.1\noptions timeout:2\n',
  '/etc/nsswitch.conf': 'hosts: files dns\n',
  '/etc/hosts': '127.0.0.1 localhost\n::1 localhost\n',
};
