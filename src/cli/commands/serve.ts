import { ExitError, exitCodes } from '../../core/errors.ts';
import type { Job } from '../../core/job.ts';
import { isLoopback } from '../../core/process/loopback.ts';
import type { Log } from '../../core/ports/log.ts';
import { type Store, stoppedListedMax } from '../../core/ports/stores.ts';
import { usualPermissions } from '../../core/permissions.ts';
import { createLoginCode } from '../../jobs/sessions.ts';
import { createToken, defaultOrg, isValid } from '../../jobs/tokens.ts';
import type { Config } from '../../config/config.ts';
import type { Flags } from '../flags.ts';
import { loginToken } from '../login-token.ts';
import { placeOf } from '../output/place.ts';
import { countOf } from '../output/progress-display.ts';
import { printable } from '../output/terminal.ts';
import type { Engine, Program } from '../program.ts';
import { settingRows } from './config.ts';
import { stopSignals } from '../stop-signals.ts';

/** The role of a process: both parts, or one of them if other processes run the other on the same database. */
export type Role = 'serve' | 'api' | 'worker';

/** Runs the service, or a part of it, until it is stopped. */
export async function runServe(program: Program, flags: Flags, role: Role = 'serve'): Promise<number> {
  const { config, origins } = program.readConfig(flags);
  const log = program.createLog(config);
  const isCrawling = role !== 'api';
  // A worker needs no port, so it opens one only if configured.
  const listens = role !== 'worker' || origins.port.origin !== 'default';
  const store = await program.openStore(config, { crawling: isCrawling, waiting: true });
  try {
    const isFirstStart = role !== 'worker' && (await store.tokens.list()).length === 0;
    if (listens) await refuseOpenService(program, config, store);
    // The API listens before the crawler starts, so that the crawler knows the port it must never fetch.
    let engine: Engine | undefined;
    const server = listens
      ? await program.listen(config, store, () => engine, { role, log, settings: settingRows(program, origins) })
      : undefined;
    const stops = stopSignals();
    stops.signal.addEventListener('abort', () => store.stopWaiting());
    try {
      const stopped = isCrawling ? await stoppedJobs(store, flags['resume'] === true, log) : [];
      if (isCrawling) {
        engine = await program.startEngine(config, store, server ? { ownPort: server.port } : {}, log);
      }
      const token =
        isFirstStart && config.token === undefined
          ? await createToken(store.tokens, {
              org: defaultOrg,
              permissions: [...usualPermissions, 'tokens', 'operate'],
            })
          : undefined;
      const login = role === 'worker' ? undefined : await createLogin(config, store, log);
      process.stdout.write(banner(program, config, { role, port: server?.port, token: token?.token, login, stopped }));
      log.info('started', { role, port: server?.port, database: place(config) });
      // The engine ends by itself only if the store fails.
      await Promise.race([stops.first, engine?.done ?? failureOf(store)]);
    } finally {
      log.info('stopping');
      await Promise.allSettled([server?.close(), engine?.stop()]);
      stops.ignore();
    }
    // The store can fail while the last pages are settled.
    await engine?.done;
    store.failed.throwIfAborted();
    log.info('stopped');
    return exitCodes.done;
  } finally {
    await store.close();
  }
}

/** Stopped crawls that the banner names. */
const stoppedNamedMax = 5;

/** A link that signs a browser in. */
interface Login {
  readonly code: string;
  /** The token whose rights it gives, in words. */
  readonly of: string;
}

/**
 * Creates a login code, unless the output can end up in a log that others read. Undefined if there is no token whose
 * rights it could have.
 */
async function createLogin(config: Config, { tokens, sessions }: Store, log: Log): Promise<Login | undefined> {
  if (!isLoopback(config.host) && !process.stdout.isTTY) return undefined;
  try {
    const token = await loginToken(config, tokens);
    return token && { code: await createLoginCode(sessions, token.id), of: token.name };
  } catch (error) {
    // The service starts on a full disk and during an outage of its database: stored pages can still be read.
    log.warn('there is no login link, because the database cannot be written', { error });
    return undefined;
  }
}

/** Rejects when the store fails. */
function failureOf({ failed }: Store): Promise<never> {
  return new Promise((_, reject) => {
    failed.addEventListener('abort', () => reject(failed.reason));
    if (failed.aborted) reject(failed.reason);
  });
}

/** An address that other machines can reach requires a token made on purpose. */
async function refuseOpenService(program: Program, config: Config, store: Store): Promise<void> {
  if (isLoopback(config.host) || config.token !== undefined) return;
  const tokens = await store.tokens.list();
  if (tokens.some((token) => isValid(token, Date.now()))) return;
  throw new ExitError(
    exitCodes.usage,
    `HAYRAKE_HOST is ${config.host}, which other machines can reach, and there is no token yet. Create one first (${program.command} token create${config.databaseUrl === undefined ? ` --data ${config.data}` : ''}), or set HAYRAKE_TOKEN.`,
  );
}

function place(config: Config): string {
  return `${config.databaseUrl === undefined ? 'embedded database in ' : ''}${placeOf(config)}`;
}

function banner(
  program: Program,
  config: Config,
  what: {
    readonly role: Role;
    readonly port: number | undefined;
    readonly token: string | undefined;
    readonly login: Login | undefined;
    readonly stopped: readonly Job[];
  },
): string {
  const { role, port, token, login, stopped } = what;
  const head = `  hayrake ${program.version} · Node ${process.versions.node} · ${place(config)}`;
  const origin = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
  const privateLine =
    config.allowPrivate === ''
      ? '  ! Private addresses are refused. To crawl your own network: --allow-private 10.0.0.0/8'
      : `  ! Private addresses that may be crawled: ${config.allowPrivate}`;
  if (role === 'worker') {
    const health = port === undefined ? 'none · --port opens one' : `${origin}/readyz, ${origin}/metrics`;
    return [
      '',
      head,
      '  ├─ Role     worker: crawls the jobs of the API',
      `  └─ Health   ${health}`,
      privateLine,
      ...stoppedLines(program, stopped),
      '',
      '',
    ].join('\n');
  }
  const shown = token ?? (config.token === undefined ? '$TOKEN' : '$HAYRAKE_TOKEN');
  const known = config.token === undefined ? 'created earlier, stored hashed' : 'the one in HAYRAKE_TOKEN';
  return [
    '',
    head,
    `  ├─ API    ${origin}/crawler/jobs`,
    `  ├─ Spec   ${origin}/openapi.json`,
    `  └─ Open   ${browserOrigin(config, port)}/${login ? `login?code=${login.code}` : ''}`,
    login
      ? `            the dashboard, signed in as ${login.of}: for one browser, within 30 minutes`
      : '            the dashboard: sign in with a token',
    ...(token === undefined
      ? [`  Token     ${known} · another: ${program.command} token create`]
      : [`  Token     ${token}`, `            shown once, stored hashed · another: ${program.command} token create`]),
    isLoopback(config.host)
      ? '  ! Listening on this machine only. To expose: --host 0.0.0.0'
      : '  ! Other machines can reach this without encryption. Put a TLS proxy in front of it.',
    role === 'api' ? `  ! This process does not crawl. To crawl: ${program.command} worker` : privateLine,
    ...stoppedLines(program, stopped),
    `  Try:  curl -H "Authorization: Bearer ${shown}" -H "Content-Type: application/json" \\`,
    `             -d '{"urls":["https://example.com"]}' ${origin}/crawler/jobs`,
    '',
    '',
  ].join('\n');
}

/** The crawls that stay stopped; with `resume`, continues them and returns none. */
async function stoppedJobs({ jobs }: Pick<Store, 'jobs'>, resume: boolean, log: Log): Promise<readonly Job[]> {
  const stopped = await jobs.listStopped();
  if (!resume || stopped.length === 0) return stopped;
  for (const { org, id } of stopped) {
    await jobs.resume(org, id);
    log.info('a stopped crawl continues', { job: id, org });
  }
  // One read lists a limited number of them.
  return stoppedJobs({ jobs }, resume, log);
}

function stoppedLines(program: Program, stopped: readonly Job[]): string[] {
  if (stopped.length === 0) return [];
  const more = stopped.length >= stoppedListedMax ? ' or more' : '';
  const named = stopped.slice(0, stoppedNamedMax).map(({ id, spec, progress }) => {
    const others = spec.urls.length > 1 ? ` and ${spec.urls.length - 1} more` : '';
    const left = countOf(progress.queued + progress.inFlight, 'URL');
    return `            ${id}  ${countOf(progress.scraped, 'page')}, ${left} left  ${printable(spec.urls[0] ?? '')}${others}`;
  });
  const unnamed = stopped.length - named.length;
  return [
    `  ! ${countOf(stopped.length, 'crawl')}${more} stopped in the terminal ${stopped.length === 1 ? 'stays' : 'stay'} stopped:`,
    ...named,
    ...(unnamed > 0 ? [`            and ${unnamed} more: ${program.command} jobs --status stopped`] : []),
    `            To continue all: --resume. One: POST /crawler/jobs/{id}/resume. To end one: ${program.command} cancel JOB`,
  ];
}

/** A browser on this machine opens it: an address that stands for all of them is none to open. */
function browserOrigin({ host }: Config, port: number | undefined): string {
  if (host === '0.0.0.0') return `http://127.0.0.1:${port}`;
  if (host === '::') return `http://[::1]:${port}`;
  return `http://${host.includes(':') ? `[${host}]` : host}:${port}`;
}
