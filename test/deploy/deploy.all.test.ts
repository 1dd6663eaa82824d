// The files of `deploy` do what they say: their commands start the real program, with their settings, on a real PostgreSQL.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { freePort } from '../../bench/corpus.ts';
import { settings } from '../../src/config/settings.ts';
import { mainModule } from '../main-module.ts';
import { createTestDatabase, postgresMissing } from '../postgres/test-database.ts';

const missing = await postgresMissing();
const known = new Set<string>(Object.values(settings({ checkNetworks: () => {} })).map(({ env }) => env));
const token = 'the-token-of-the-tests-of-deploy-0123456789';

interface Container {
  readonly image: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly envFrom: readonly unknown[];
  readonly ports: readonly { readonly containerPort: number }[];
  readonly startupProbe: Probe;
  readonly readinessProbe: Probe;
  readonly livenessProbe: Probe;
}
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: number };
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly selector: { readonly matchLabels?: Readonly<Record<string, string>> } & Readonly<Record<string, unknown>>;
    readonly template?: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>> };
      readonly spec: { readonly containers: readonly Container[]; readonly terminationGracePeriodSeconds: number };
    };
    readonly scaleTargetRef?: { readonly name: string };
    readonly metrics?: readonly { readonly pods: { readonly metric: { readonly name: string } } }[];
  };
}
interface Compose {
  readonly services: Readonly<
    Record<
      'api' | 'worker' | 'postgres',
      {
        readonly command: readonly string[];
        readonly environment: Readonly<Record<string, string>>;
        readonly env_file?: string;
        readonly expose?: readonly string[];
        readonly healthcheck: { readonly test: readonly string[] };
      }
    >
  >;
}

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

function text(name: string): string {
  return readFileSync(path.join(import.meta.dirname, '../../deploy', name), 'utf8');
}

async function database(): Promise<string> {
  const made = await createTestDatabase({ keepsSchema: true });
  cleanups.push(made.remove);
  return made.url;
}

/** Starts a command with these settings and no others; what was started ends with the test. */
function start(command: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  const [program = '', ...args] = command;
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('HAYRAKE_'));
  const child = spawn(program, args, { env: { ...Object.fromEntries(inherited), ...env }, stdio: 'ignore' });
  cleanups.push(async () => {
    if (child.exitCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  return child;
}

/** The status, once it is a good one. */
async function untilAnswers(child: ChildProcess, url: string): Promise<number> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`it ended with exit code ${child.exitCode}`);
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok === true) return answer.status;
    await pause(50);
  }
}

describe('the units of systemd', () => {
  const lines = (name: string): Map<string, string> =>
    new Map(
      text(name)
        .split('\n')
        .filter((line) => /^[A-Za-z]+=/.test(line))
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
  /** As systemd would run it, with our program in the place of the one that is installed. */
  const commandOf = (unit: Map<string, string>, instance = ''): string[] => [
    'sh',
    '-c',
    // Without `exec` the signal ends the shell, and the program stays.
    `exec ${(unit.get('ExecStart') ?? '')
      .replaceAll('%i', instance)
      .replaceAll('$$', '$')
      .replace('/usr/local/bin/hayrake', `${process.execPath} ${mainModule}`)}`,
  ];

  test.each(['hayrake.service', 'hayrake-api.service', 'hayrake-worker@.service'])(
    '%s restarts but for a wrong setting',
    (name) => {
      const unit = lines(name);
      expect(unit.get('Restart')).toBe('always');
      expect(unit.get('RestartPreventExitStatus')).toBe('2 4');
      expect(unit.get('EnvironmentFile')).toMatch(/^-?\/etc\/hayrake\/hayrake\.env$/u);
    },
  );

  const canRate = spawnSync('systemd-analyze', ['security', '--help']).status === 0;

  test.skipIf(!canRate).each(['hayrake.service', 'hayrake-api.service', 'hayrake-worker@.service'])(
    'systemd-analyze rates %s below 2 (needs systemd)',
    (name) => {
      const file = path.join(import.meta.dirname, '../../deploy', name);
      const rated = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', file]);
      expect([String(rated.stderr), rated.status]).toEqual(['', 0]);
    },
  );

  test('the unit without PostgreSQL starts', async () => {
    const unit = lines('hayrake.service');
    const data = mkdtempSync(path.join(tmpdir(), 'hayrake-unit-'));
    cleanups.push(() => rmSync(data, { recursive: true, force: true }));
    const own = Object.fromEntries((unit.get('Environment') ?? '').split(' ').map((pair) => pair.split('=')));
    expect(own).toEqual({ HAYRAKE_DATA: `/var/lib/${unit.get('StateDirectory')}`, HAYRAKE_BROWSER: 'off' });
    const port = await freePort();
    const child = start(commandOf(unit), { ...own, HAYRAKE_DATA: data, HAYRAKE_PORT: String(port) });
    expect(await untilAnswers(child, `http://127.0.0.1:${port}/readyz`)).toBe(200);
  });

  test.each([0, 1, 10, 1_000])('worker %i has a port of its own, which is not that of the API', (instance) => {
    const [, , command = ''] = commandOf(lines('hayrake-worker@.service'), String(instance));
    const [, sum = ''] = /--port (\$\(\(.*?\)\))/.exec(command) ?? [];
    expect(sum).toBe(`$((8400 + ${instance}))`);
  });

  test.skipIf(missing !== undefined)('the API and workers 0 and 10 start side by side (needs PostgreSQL)', async () => {
    const env = { HAYRAKE_DATABASE_URL: await database(), HAYRAKE_TOKEN: token };
    // The ports of the units may be another's on this machine.
    const base = await freePort();
    const api = await freePort();
    const worker = (instance: number): string[] =>
      commandOf(lines('hayrake-worker@.service'), String(instance)).map((part) => part.replace('8400', String(base)));
    const started: [ChildProcess, number][] = [
      [start(commandOf(lines('hayrake-api.service')), { ...env, HAYRAKE_PORT: String(api) }), api],
      // What stands in the file for the API is not the workers'.
      [start(worker(0), { ...env, HAYRAKE_PORT: String(api) }), base],
      [start(worker(10), { ...env, HAYRAKE_PORT: String(api) }), base + 10],
    ];
    const ready = started.map(([child, port]) => untilAnswers(child, `http://127.0.0.1:${port}/readyz`));
    expect(await Promise.all(ready)).toEqual([200, 200, 200]);
  });
});

describe('compose.yaml', () => {
  const { services } = parse(text('compose.yaml')) as {
    readonly services: {
      readonly hayrake: {
        readonly build: { readonly dockerfile: string; readonly target: string };
        readonly volumes: readonly string[];
        readonly ports: readonly string[];
        readonly healthcheck: { readonly test: readonly string[] };
      };
    };
  };

  test('has one service, which fits the image', () => {
    expect(Object.keys(services)).toEqual(['hayrake']);
    const { build, volumes, ports, healthcheck } = services.hayrake;
    const file = text(build.dockerfile);
    expect(file).toContain(` AS ${build.target}\n`);
    expect(file).toContain(`\nVOLUME ${volumes[0]?.split(':')[1]}\n`);
    expect(file).toContain(`\nEXPOSE ${ports[0]?.split(':')[2]}\n`);
    expect(file).toContain(`CMD ${JSON.stringify(healthcheck.test.slice(1)).replace(',', ', ')}\n`);
  });
});

describe('compose-postgres.yaml', () => {
  const { services } = parse(text('compose-postgres.yaml'), { merge: true }) as Compose;

  test('has the settings of .env in every process of ours, and a port of the workers for the other containers', () => {
    for (const { env_file: file, environment } of [services.api, services.worker]) {
      expect(file).toBe('.env');
      expect(Object.keys(environment).filter((name) => !known.has(name))).toEqual([]);
      expect(environment['HAYRAKE_HOST']).toBe('0.0.0.0');
    }
    expect(services.worker.expose).toEqual([services.worker.environment['HAYRAKE_PORT']]);
  });

  test.skipIf(missing !== undefined)('its commands start, and its checks pass (needs PostgreSQL)', async () => {
    const url = await database();
    for (const { command, environment, healthcheck } of [services.api, services.worker]) {
      const port = String(await freePort());
      const own = Object.entries(environment).map(([name, value]): [string, string] => {
        if (name === 'HAYRAKE_DATABASE_URL') return [name, url];
        if (name === 'HAYRAKE_TOKEN') return [name, token];
        return [name, name === 'HAYRAKE_PORT' ? port : value];
      });
      const child = start([process.execPath, mainModule, ...command], Object.fromEntries(own));
      await untilAnswers(child, `http://127.0.0.1:${port}/readyz`);
      const [kind, program, ...args] = healthcheck.test;
      expect([kind, program]).toEqual(['CMD', 'hayrake']);
      // With the settings of its container.
      const check = start([process.execPath, mainModule, ...args], Object.fromEntries(own));
      expect(await once(check, 'exit')).toEqual([0, null]);
    }
  });
});

describe('kubernetes.yaml', () => {
  const documents = parseAllDocuments(text('kubernetes.yaml'));
  const manifests = documents.map((document) => document.toJS() as Manifest);
  const of = (kind: string): Manifest[] => manifests.filter((manifest) => manifest.kind === kind);
  const containerOf = ({ spec }: Manifest): Container | undefined => spec.template?.spec.containers[0];

  test('is YAML without errors, and its parts name each other', () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    expect(documents.flatMap(({ warnings }) => warnings)).toEqual([]);
    const deployments = of('Deployment');
    expect(deployments.map(({ metadata }) => metadata.name)).toEqual(['hayrake-api', 'hayrake-worker']);
    for (const { spec } of deployments) expect(spec.template?.metadata.labels).toEqual(spec.selector.matchLabels);
    const labels = deployments.map(({ spec }) => spec.selector.matchLabels);
    expect(of('PodDisruptionBudget').map(({ spec }) => spec.selector.matchLabels)).toEqual(labels);
    expect(of('Service').map(({ spec }) => spec.selector)).toEqual([labels[0]]);
    expect(of('HorizontalPodAutoscaler')[0]?.spec.scaleTargetRef?.name).toBe('hayrake-worker');
  });

  test.skipIf(missing !== undefined)('its containers start, and answer their probes (needs PostgreSQL)', async () => {
    const url = await database();
    const common = of('ConfigMap')[0]?.data ?? {};
    for (const deployment of of('Deployment')) {
      const container = containerOf(deployment);
      if (!container) throw new Error('there is no container');
      const env = { ...common, ...Object.fromEntries(container.env.map(({ name, value }) => [name, value])) };
      expect(Object.keys(env).filter((name) => !known.has(name))).toEqual([]);
      const [declared] = container.ports.map(({ containerPort }) => containerPort);
      expect(env['HAYRAKE_PORT']).toBe(String(declared));
      const port = await freePort();
      const child = start([process.execPath, mainModule, ...container.args], {
        ...env,
        HAYRAKE_DATABASE_URL: url,
        HAYRAKE_TOKEN: token,
        HAYRAKE_PORT: String(port),
      });
      for (const { httpGet } of [container.startupProbe, container.readinessProbe, container.livenessProbe]) {
        expect(httpGet.port).toBe(declared);
        await untilAnswers(child, `http://127.0.0.1:${port}${httpGet.path}`);
      }
      if (container.args[0] !== 'worker') continue;
      const headers = { authorization: `Bearer ${token}` };
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).text();
      for (const { pods } of of('HorizontalPodAutoscaler')[0]?.spec.metrics ?? [])
        expect(metrics).toContain(`\n${pods.metric.name} `);
    }
  });
});
