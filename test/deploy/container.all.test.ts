// The image: built from Containerfile and the packed package, started as its user, with its health check. No image can be
// downloaded here, so the base is made from the programs of this machine.
import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../bench/corpus.ts';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '../..');
const folder = mkdtempSync(path.join(tmpdir(), 'hayrake-image-'));
const token = 'the-token-of-the-tests-of-the-image-0123456789';
/** Storage of its own, so that nothing of the machine's images is touched. */
const storage = [
  '--root',
  path.join(folder, 'storage'),
  '--runroot',
  path.join(folder, 'run'),
  '--storage-driver',
  'vfs',
];
const buildah = async (...args: string[]): Promise<string> =>
  (await run('buildah', [...storage, ...args], { maxBuffer: 2 ** 26 })).stdout.trim();

const npm = '/usr/lib/node_modules/npm';
const missing =
  process.platform !== 'linux' || process.getuid?.() !== 0 || spawnSync('buildah', ['--version']).status !== 0
    ? 'buildah, as root on Linux, is not available'
    : existsSync(npm)
      ? undefined
      : `npm is not in ${npm}`;
if (missing !== undefined) console.warn(`The test of the image is skipped: ${missing}.`);

/** A root file system with Node, npm, a shell and what they load. */
async function makeBase(): Promise<string> {
  const base = path.join(folder, 'base');
  for (const name of ['usr/bin', 'usr/lib/node_modules', 'etc', 'tmp', 'root', 'proc', 'sys', 'dev'])
    mkdirSync(path.join(base, name), { recursive: true });
  for (const name of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, path.join(base, name));
  mkdirSync(path.join(base, 'usr/lib64'));
  const programs = ['sh', 'rm', 'mkdir', 'chown', 'env', 'id', 'stat'].map((name) => [
    name,
    realpathSync(`/usr/bin/${name}`),
  ]);
  for (const [name = '', file = ''] of [...programs, ['node', realpathSync(process.execPath)]]) {
    cpSync(file, path.join(base, 'usr/bin', name));
    const { stdout } = await run('ldd', [file]);
    for (const [library] of stdout.matchAll(/\/\S+\.so\S*/gu)) {
      const target = path.join(base, library.startsWith('/usr') ? library : `usr${library}`);
      mkdirSync(path.dirname(target), { recursive: true });
      cpSync(realpathSync(library), target);
    }
  }
  cpSync(npm, path.join(base, 'usr/lib/node_modules/npm'), { recursive: true, dereference: true });
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', path.join(base, 'usr/bin/npm'));
  writeFileSync(path.join(base, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/:/bin/sh\n');
  writeFileSync(path.join(base, 'etc/group'), 'root:x:0:\nnode:x:1000:\n');
  const container = await buildah('from', 'scratch');
  await buildah('copy', container, base, '/');
  await buildah('commit', container, 'localhost/node-of-this-machine');
  await buildah('rm', container);
  return 'localhost/node-of-this-machine';
}

describe.skipIf(missing !== undefined)('the image (needs buildah)', () => {
  const image = 'localhost/hayrake-of-this-test';

  beforeAll(async () => {
    const context = path.join(folder, 'context');
    mkdirSync(context);
    await run('npm', ['pack', '--pack-destination', context], { cwd: root });
    const base = await makeBase();
    const file = path.join(root, 'deploy/Containerfile');
    const build = ['--isolation', 'chroot', '--format', 'docker', '--build-arg', `NODE_IMAGE=${base}`, '--file', file];
    await buildah('build', ...build, '--tag', image, context);
  });

  afterAll(async () => {
    await buildah('rm', '--all').catch(() => {});
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });

  test('says its user, its command, its volume and its health check', async () => {
    const { Docker } = JSON.parse(await buildah('inspect', '--type', 'image', image)) as {
      readonly Docker: { readonly config: Readonly<Record<string, unknown>> };
    };
    expect(Docker.config).toMatchObject({
      User: '1000:1000',
      Entrypoint: ['hayrake'],
      Cmd: ['serve'],
      Volumes: { '/data': {} },
      Healthcheck: { Test: ['CMD', 'hayrake', 'health'] },
    });
  });

  test('starts as its user, is healthy, and ends when it is told to', async () => {
    const container = await buildah('from', image);
    const port = String(await freePort());
    const env = ['--env', `HAYRAKE_TOKEN=${token}`, '--env', `HAYRAKE_PORT=${port}`];
    const inside = ['run', '--isolation', 'chroot', '--user', '1000:1000', ...env, container, '--'];
    const startedAt = performance.now();
    const service = spawn('buildah', [...storage, ...inside, 'hayrake', 'serve'], { stdio: 'ignore' });
    const ended = once(service, 'exit');
    try {
      for (;;) {
        if (service.exitCode !== null) throw new Error(`it ended with ${service.exitCode}`);
        const ready = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
        if (ready?.ok === true) break;
        await pause(50);
      }
      console.log(
        `ready after ${Math.round(performance.now() - startedAt)} ms, ${await sizeOf(container)} MB above the base`,
      );
      await buildah(...inside, 'hayrake', 'health');
      expect(await buildah(...inside, 'id', '-u')).toBe('1000');
      expect(await buildah(...inside, 'stat', '-c', '%a %u', '/data')).toBe('700 1000');
      const [main] = hayrakeProcesses(port);
      if (main === undefined) throw new Error('no process of it runs as user 1000');
      process.kill(main, 'SIGTERM');
      await ended;
    } finally {
      for (const pid of hayrakeProcesses(port)) process.kill(pid, 'SIGKILL');
    }
  });

  test('without a token it does not start on all addresses', async () => {
    const container = await buildah('from', image);
    const started = buildah('run', '--isolation', 'chroot', '--user', '1000:1000', container, '--', 'hayrake', 'serve');
    await expect(started).rejects.toThrow(/HAYRAKE_TOKEN/u);
  });
});

/** Megabytes of the program in the container. */
async function sizeOf(container: string): Promise<string> {
  const mounted = await buildah('mount', container);
  const { stdout } = await run('du', ['-sb', path.join(mounted, 'usr/lib/node_modules/hayrake')]);
  return (Number(stdout.split('\t')[0]) / 1e6).toFixed(1);
}

/** Processes of the image's user that have this port, the oldest first. */
function hayrakeProcesses(port: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/u.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const isOurs = readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`HAYRAKE_PORT=${port}\0`);
        return isOurs && /^Uid:\s+1000\s/mu.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
      } catch {
        // It has ended meanwhile.
        return false;
      }
    })
    .toSorted((a, b) => a - b);
}
