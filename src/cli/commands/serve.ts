import { ExitError, exitCodes } from '../../core/errors.ts';
import { isLoopback } from '../../core/loopback.ts';
import type { Store } from '../../core/stores.ts';
import { usualPermissions } from '../../core/stores.ts';
import { createToken, defaultOrg, isValid } from '../../jobs/tokens.ts';
import type { Config } from '../../config.ts';
import type { Flags } from '../flags.ts';
import { shownDirectory } from '../output/page-sink.ts';
import type { Engine, Program } from '../program.ts';
import { stopSignals } from '../stop-signals.ts';

/** The service: API and crawler in one process, until it is told to stop. */
export async function runServe(program: Program, flags: Flags): Promise<number> {
  const { config } = program.readConfig(flags);
  const log = program.createLog(config);
  const store = await program.openStore(config, { crawling: true });
  try {
    const isFirstStart = (await store.tokens.list()).length === 0;
    await refuseOpenDoor(program, config, store);
    // The API answers before the crawler starts, so that its port is known to be never fetched.
    let engine: Engine | undefined;
    const api = await program.listen(config, store, () => engine, log);
    const stops = stopSignals();
    stops.signal.addEventListener('abort', () => store.stopWaiting());
    try {
      engine = await program.startEngine(config, store, { ownPort: api.port }, log);
      const token =
        isFirstStart && config.token === undefined
          ? await createToken(store.tokens, { org: defaultOrg, permissions: usualPermissions })
          : undefined;
      process.stdout.write(banner(program, config, api.port, token?.token));
      log.info('started', { port: api.port, data: config.data });
      // The crawler ends by itself only when the store fails.
      await Promise.race([stops.first, engine.done]);
    } finally {
      log.info('stopping');
      await Promise.allSettled([api.close(), engine?.stop()]);
      stops.ignore();
    }
    // The store may have failed while the last pages were settled.
    await engine.done;
    log.info('stopped');
    return exitCodes.done;
  } finally {
    await store.close();
  }
}

/** An address that others can reach needs a token that somebody made on purpose. */
async function refuseOpenDoor(program: Program, config: Config, store: Store): Promise<void> {
  if (isLoopback(config.host) || config.token !== undefined) return;
  const tokens = await store.tokens.list();
  if (tokens.some((token) => isValid(token, Date.now()))) return;
  throw new ExitError(
    exitCodes.usage,
    `HAYRAKE_HOST is ${config.host}, which others can reach, and there is no token yet. Make one first (${program.command} token create --data ${config.data}), or set HAYRAKE_TOKEN.`,
  );
}

function banner(program: Program, config: Config, port: number, token: string | undefined): string {
  const origin = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`;
  const shown = token ?? (config.token === undefined ? '$TOKEN' : '$HAYRAKE_TOKEN');
  const known = config.token === undefined ? 'made earlier, stored hashed' : 'the one in HAYRAKE_TOKEN';
  return [
    '',
    `  hayrake ${program.version} · Node ${process.versions.node} · embedded database in ${shownDirectory(config.data)}`,
    `  ├─ API    ${origin}/crawler/jobs`,
    `  └─ Spec   ${origin}/openapi.json`,
    ...(token === undefined
      ? [`  Token     ${known} · another: ${program.command} token create`]
      : [`  Token     ${token}`, `            shown once, stored hashed · another: ${program.command} token create`]),
    isLoopback(config.host)
      ? '  ! Listening on this machine only. To expose: --host 0.0.0.0'
      : '  ! Other machines can reach this, unencrypted. Put a TLS proxy in front of it.',
    config.allowPrivate === ''
      ? '  ! Private addresses are refused. To crawl your own network: --allow-private 10.0.0.0/8'
      : `  ! Private addresses that may be crawled: ${config.allowPrivate}`,
    `  Try:  curl -H "Authorization: Bearer ${shown}" -H "Content-Type: application/json" \\`,
    `             -d '{"urls":["https://example.com"]}' ${origin}/crawler/jobs`,
    '',
    '',
  ].join('\n');
}
