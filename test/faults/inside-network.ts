// Runs inside a network namespace: crawls a chain of hosts with the real program, takes the name server or the network away
// in the middle of it, gives it back, and prints what came of it as JSON.
import { execFileSync, spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { startDnsServer, type Zone } from '../egress/dns-server.ts';
import { codesOf, ledgerOf } from '../e2e/ledger.ts';
import { startService } from '../service/start-service.ts';

export interface NetworkReport {
  readonly status: string;
  readonly progress: Readonly<Record<string, number>>;
  readonly reasons: Readonly<Record<string, number>>;
  readonly codes: readonly string[];
  readonly attemptsMax: number;
  /** While it was gone: what `/readyz` answered, and how many URLs had failed at its end. */
  readonly ready: number;
  readonly failedMeanwhile: number;
  /** From its return to the first page. */
  readonly recoveredMs: number;
  /** What the log says of it. */
  readonly logged: readonly string[];
}

const hosts = 10;
const [nearAddress, farAddress] = ['93.184.216.1', '93.184.216.34'];
const [nearDevice, farDevice] = ['near', 'far'];
const unreachableSeconds = 12;
const troubleMs = 30_000;
/**
 * In the middle of the crawl; the trouble begins when it is asked for. So there is something to do then that nobody has begun:
 * what is under way may wait for its answer for the 30 seconds of a fetch, and where that is all, nobody notices anything.
 */
const nameAtBegin = 'h3.site.test';

interface Trouble {
  begin(): void;
  end(): void;
}

let zone: Partial<Zone> = {};
const ofNames = (trouble: Partial<Zone>): Trouble => ({ begin: () => (zone = trouble), end: () => (zone = {}) });
const ip = (...args: readonly string[]): void => void execFileSync('ip', args);

const troubles: Readonly<Record<string, Trouble>> = {
  silence: ofNames({ trouble: 'silence' }),
  failure: ofNames({ trouble: 'failure' }),
  slow: ofNames({ afterMs: 5_000 }),
  unknown: ofNames({ addresses: undefined }),
  link: {
    begin: () => ip('link', 'set', nearDevice, 'down'),
    end: () => ip('link', 'set', nearDevice, 'up'),
  },
};

const trouble = troubles[process.argv[2] ?? ''];
if (trouble === undefined) throw new Error(`no such trouble: ${process.argv[2]}`);

const module = path.join(import.meta.dirname, 'far-site.ts');
const site = spawn('unshare', ['-n', process.execPath, module, farDevice, farAddress, String(hosts)], {
  stdio: ['pipe', 'pipe', 'inherit'],
});
let wake = (): void => {};
const said = { ready: Promise.withResolvers<void>(), listening: Promise.withResolvers<void>() };
createInterface({ input: site.stdout }).on('line', (line) => {
  if (line === 'ready' || line === 'listening') return said[line].resolve();
  wake();
});
await said.ready.promise;
ip('link', 'add', nearDevice, 'type', 'veth', 'peer', 'name', farDevice);
ip('link', 'set', farDevice, 'netns', String(site.pid));
ip('addr', 'add', `${nearAddress}/24`, 'dev', nearDevice);
ip('link', 'set', nearDevice, 'up');
site.stdin.write('go\n');
await said.listening.promise;

let hasBegun = false;
const begun = Promise.withResolvers<void>();
const dns = await startDnsServer((name) => {
  if (name === nameAtBegin && !hasBegun) {
    hasBegun = true;
    trouble.begin();
    begun.resolve();
  }
  return { addresses: name === 'site.test' || name.endsWith('.site.test') ? [farAddress] : undefined, ...zone };
});
const service = await startService({
  env: {
    HAYRAKE_UNREACHABLE_SECONDS: String(unreachableSeconds),
    HAYRAKE_ALLOW_PRIVATE: undefined,
    HAYRAKE_LOG_LEVEL: 'info',
  },
});

const { id } = await service.createJob({
  urls: ['http://site.test/'],
  scope: 'subdomains',
  force_crawling_mode: 'link',
});
await begun.promise;
await pause(troubleMs);
const { status: ready } = await service.api('/readyz');
const { progress: meanwhile } = await service.job(id);
const oneMore = Promise.withResolvers<void>();
wake = oneMore.resolve;
const endedAt = performance.now();
trouble.end();
const ended = service.untilEnded(id);
await Promise.race([oneMore.promise, ended]);
const recoveredMs = Math.round(performance.now() - endedAt);
const { status, progress, reasons, notices, findings } = await ended;
const report: NetworkReport = {
  status,
  progress,
  reasons: reasons as NetworkReport['reasons'],
  codes: codesOf({ notices, findings }),
  attemptsMax: Math.max(...(await ledgerOf(service, id)).map(({ attempts }) => attempts)),
  ready,
  failedMeanwhile: meanwhile.failed,
  recoveredMs,
  logged: service.stderr.split('\n').filter((line) => /can be reached|could be reached/.test(line)),
};
process.stdout.write(JSON.stringify(report));
await service.close();
site.kill();
dns.close();
