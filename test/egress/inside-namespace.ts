// Runs inside the namespace: starts the name server, the canaries and the public site, lets the real program crawl them
// under the settings that its argument names, and prints what came of it as JSON.
import { startService, type TestService } from '../service/start-service.ts';
import { type CanaryAddress, canaryAddresses, labelOf, startCanaries, urlHost } from './canaries.ts';
import { startDnsServer } from './dns-server.ts';
import { forbiddenDestinations, invalidUrls } from './forbidden-urls.ts';
import { createZones, nameKinds } from './names.ts';
import { canaryOrigins, redirectTraps, startPublicSite } from './public-site.ts';

export interface Report {
  /** Nothing reopened. */
  readonly closed: Run & {
    readonly forbidden: readonly PostReport[];
    readonly invalid: readonly PostReport[];
    readonly siteRequests: readonly string[];
    readonly namesAsked: readonly string[];
  };
  /** `10.0.0.0/8` reopened. */
  readonly ten: Run;
  /** Everything reopened, the service on port 8380 of every address. */
  readonly everything: Run;
  /** `127.0.0.0/8` reopened, the service on a free port of 127.0.0.1. */
  readonly loopback: Run;
}

export interface Run {
  /** Connections that canaries saw, by address. */
  readonly connections: Readonly<Record<string, number>>;
  /** Start URLs that were refused when the job was asked for. */
  readonly refused: readonly string[];
  readonly jobs: Readonly<Record<string, JobReport>>;
}

export interface PostReport {
  readonly url: string;
  readonly status: number;
  readonly code: string;
  /** All but what differs from request to request. */
  readonly body: string;
}

export interface JobReport {
  readonly status: string;
  readonly entries: readonly Entry[];
}

export interface Entry {
  readonly url: string;
  readonly status: string;
  readonly reason?: string;
  readonly detail?: string;
  readonly foundOn?: string;
}

/** Names that change their answer, each asked for twice at least: robots.txt, then the page, each on a new connection. */
const rebindingNames = 500;
/** Some hosts here never answer, and need not be waited for. */
const impatient = { HAYRAKE_UNREACHABLE_SECONDS: '2' };

const dns = await startDnsServer(createZones());
const canaries = await startCanaries();
const site = await startPublicSite();
const runs: { readonly [Name in keyof Report]: () => Promise<Report[Name]> } = {
  closed,
  ten: () => reopened('10.0.0.0/8'),
  everything: () => reopened('0.0.0.0/0, ::/0', { HAYRAKE_HOST: '0.0.0.0', HAYRAKE_PORT: '8380' }),
  loopback: () => reopened('127.0.0.0/8'),
};
const wanted = process.argv[2] as keyof Report;
process.stdout.write(JSON.stringify(await runs[wanted]()));
await Promise.all([site.close(), canaries.close()]);
dns.close();

async function closed(): Promise<Report['closed']> {
  const service = await startService({ env: { ...impatient, HAYRAKE_ALLOW_PRIVATE: undefined } });
  try {
    const forbidden = await postAll(service, [...forbiddenDestinations, `http://pub.test:${service.port}/`]);
    const invalid = await postAll(service, invalidUrls);
    const jobs = await crawlAll(service, {
      site: ['http://pub.test/'],
      redirects: [
        ...redirectStarts(),
        ...canaryOrigins.map((origin) => `http://pub.test/refresh-to?to=${encodeURIComponent(`${origin}/`)}`),
      ],
      names: canaryAddresses.flatMap((address) =>
        nameKinds.flatMap((kind) =>
          ['http://?/', 'https://?/', 'http://?:8000/', 'http://?:8001/'].map((form) =>
            form.replace('?', `${kind}.${labelOf(address)}.canary.test`),
          ),
        ),
      ),
      robots: canaryOrigins.map((_, index) => `http://robots-${index}.test/`),
      sitemaps: canaryOrigins.map((_, index) => `http://sitemap-${index}.test/`),
      rebinding: Array.from({ length: rebindingNames }, (_, index) => `http://rebind-${index}.test/`),
      path: ['http://pub.test/%0d%0aX-Injected:%201'],
    });
    return {
      forbidden,
      invalid,
      jobs,
      refused: [],
      connections: canaries.takeConnections(),
      siteRequests: [...site.requests],
      namesAsked: [...dns.asked],
    };
  } finally {
    await service.close();
  }
}

/** Each canary by its address and by a name, inner names, and the service itself. */
async function reopened(networks: string, env: Readonly<Record<string, string>> = {}): Promise<Run> {
  const service = await startService({ env: { ...impatient, ...env, HAYRAKE_ALLOW_PRIVATE: networks } });
  try {
    const literals = canaryAddresses.map((address) => `http://${urlHost(address)}/`);
    const own = [...canaryAddresses, 'localhost', 'pub.test'].map((host) => `http://${urlHost(host)}:${service.port}/`);
    const posts = await postAll(service, [
      ...literals,
      ...own.filter((url) => !url.includes('pub.test')),
      ...['wiki.internal', 'printer.local', 'metadata.google.internal'].map((name) => `http://${name}/`),
    ]);
    const refused = posts.filter(({ status }) => status !== 200).map(({ url }) => url);
    canaries.takeConnections();
    const ownByName = canaryAddresses.map((address) => `http://${nameOf(address)}:${service.port}/`);
    const jobs = await crawlAll(service, {
      literals: literals.filter((url) => !refused.includes(url)),
      names: canaryAddresses.map((address) => `http://${nameOf(address)}/`),
      inner: ['http://wiki.internal/', 'http://printer.local/'],
      own: [...ownByName, `http://pub.test:${service.port}/`, ...own.map((url) => hop(302, url))],
      site: ['http://pub.test/refs'],
    });
    return { refused, jobs, connections: canaries.takeConnections() };
  } finally {
    await service.close();
  }
}

function redirectStarts(): string[] {
  const statuses = [301, 302, 303, 307, 308];
  const traps = [...redirectTraps.schemes, ...redirectTraps.spellings];
  return statuses.flatMap((status) =>
    [...canaryOrigins.map((origin) => `${origin}/`), ...traps].map((to) => hop(status, to)),
  );
}

function hop(status: number, to: string): string {
  return `http://pub.test/hop/${status}?to=${encodeURIComponent(to)}`;
}

function nameOf(address: CanaryAddress): string {
  return `plain.${labelOf(address)}.canary.test`;
}

/** Jobs that are accepted are cancelled: what is asked is only whether they are. */
async function postAll(service: TestService, urls: readonly string[]): Promise<PostReport[]> {
  const reports: PostReport[] = [];
  for (const url of urls) {
    const response = await service.api('/crawler/jobs', { json: { urls: [url] } });
    const { requestId, instance, ...body } = (await response.json()) as Record<string, unknown>;
    void [requestId, instance];
    if (response.status === 200) await service.api(`/crawler/jobs/${String(body['id'])}`, { method: 'DELETE' });
    reports.push({ url, status: response.status, code: String(body['code']), body: JSON.stringify(body) });
  }
  return reports;
}

async function crawlAll(
  service: TestService,
  jobs: Readonly<Record<string, readonly string[]>>,
): Promise<Record<string, JobReport>> {
  const reports = Object.entries(jobs)
    .filter(([, urls]) => urls.length > 0)
    .map(async ([name, urls]) => {
      const { id, status } = await service.crawl({ urls });
      return [name, { status, entries: await entriesOf(service, id) }] as const;
    });
  return Object.fromEntries(await Promise.all(reports));
}

async function entriesOf(service: TestService, jobId: string): Promise<Entry[]> {
  const entries: Entry[] = [];
  let cursor: string | undefined;
  do {
    const query = new URLSearchParams(cursor === undefined ? {} : { cursor });
    const answer: { readonly data: readonly Entry[]; readonly cursor?: string } = await service.ok(
      `/crawler/jobs/${jobId}/urls?${query.toString()}`,
    );
    entries.push(...answer.data);
    ({ cursor } = answer);
  } while (cursor !== undefined);
  return entries;
}
