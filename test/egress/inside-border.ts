// Runs inside the namespace: jobs with start URLs inside and outside an open network, at the same time on one service. Prints what
// the inner servers were asked for, as JSON.
import { connect } from 'node:net';
import { startService, type TestService } from '../service/start-service.ts';
import { startCanaries } from './canaries.ts';
import { type Answer, startConnectProxy } from './connect-proxy.ts';
import { startDnsServer } from './dns-server.ts';
import { createZones } from './names.ts';
import { canaryOrigins, startPublicSite } from './public-site.ts';

export interface BorderReport {
  /** By the name of a case: each entry of the job as `status reason URL`, sorted. */
  readonly entries: Readonly<Record<string, readonly string[]>>;
  /** By the name of a case: what the inner servers were asked for, without webhooks, robots.txt and /sitemap.xml of an inner start URL. */
  readonly reached: Readonly<Record<string, readonly string[]>>;
  /** What the proxy was asked for. */
  readonly proxied: readonly string[];
  /** Status and reason of scrapes. */
  readonly scrapes: Readonly<Record<string, string>>;
  /** Start URLs that were refused with `10.0.0.0/8:8000`. */
  readonly refused: readonly string[];
  readonly notices: readonly string[];
}

const indexOfInner = canaryOrigins.indexOf('http://10.0.0.9');
const inside = 'http://10.0.0.9/door';
/** A job has more than one event: the last delivery may come while the next case runs. */
const delivery = 'POST 10.0.0.9:80/hook';
/** Without the sitemap of the public site, which names the inner servers too. */
const linksOnly = { force_crawling_mode: 'link' } as const;
const impatient = { HAYRAKE_UNREACHABLE_SECONDS: '2', HAYRAKE_WEBHOOK_HTTP: 'true' };
const entries: Record<string, string[]> = {};
const reached: Record<string, string[]> = {};
const scrapes: Record<string, string> = {};
const notices: string[] = [];

const dns = await startDnsServer(createZones());
const canaries = await startCanaries();
const site = await startPublicSite();
const refused = process.argv[2] === 'ports' ? await ports() : await all();
const proxied = process.argv[2] === 'ports' ? [] : await throughProxy();
const report: BorderReport = { entries, reached, proxied, scrapes, refused, notices };
process.stdout.write(JSON.stringify(report));
await Promise.all([site.close(), canaries.close()]);
dns.close();

async function all(): Promise<string[]> {
  const service = await startService({ env: { ...impatient, HAYRAKE_ALLOW_PRIVATE: '10.0.0.0/8' } });
  try {
    await crawlInto(service, 'redirects', {
      ...linksOnly,
      urls: [301, 302, 303, 307, 308].map((status) => hop(`${inside}-${status}`, status)),
    });
    await crawlInto(service, 'redirect to a name', {
      ...linksOnly,
      urls: [hop('http://plain.10-0-0-9.canary.test/x')],
    });
    await crawlInto(service, 'robots', { urls: [`http://robots-${indexOfInner}.test/`] });
    await crawlInto(service, 'sitemap', { urls: [`http://sitemap-${indexOfInner}.test/`] });
    await crawlInto(service, 'subdomain', { urls: ['http://pub.test/door-outside'], scope: 'subdomains' });
    await crawlInto(service, 'inside', { urls: [inside] });
    await crawlInto(service, 'inside by name', { urls: ['http://wiki.internal/door'] });
    await crawlInto(service, 'outside and inside', {
      urls: ['http://pub.test/door-outside', 'http://pub.test/', inside, hop('http://10.0.0.9/hop-outside')],
      scope: 'subdomains',
    });
    await Promise.all([
      service.crawl({ urls: [inside, 'http://10.0.0.9/second', 'http://10.0.0.9/third'] }),
      ...Array.from({ length: 20 }, (_, index) => service.crawl({ urls: [hop(`http://10.0.0.9/stolen-${index}`)] })),
    ]);
    note('two jobs at a time');
    await scrape(service, 'scrape outside', hop('http://10.0.0.9/scraped'));
    await scrape(service, 'scrape inside', inside);
    await crawlInto(
      service,
      'webhook',
      { ...linksOnly, urls: [hop('http://10.0.0.9/fetched')], webhook_url: 'http://10.0.0.9/hook' },
      () => untilReached('POST'),
    );
    // The name resolves to a public address first. Another process has not cached it, and gets a private one.
    const { id } = await service.crawl({ urls: ['http://rebind-14.test/hop/302?to=file:///etc/passwd'] });
    note('rebinding, first');
    await service.restart();
    const retried = await service.ok<{ id: string }>(`/crawler/jobs/${id}/retry`, { json: {} });
    await service.untilEnded(retried.id);
    await noteEntries(service, 'rebinding, retried', retried.id);
    return [];
  } finally {
    await service.close();
  }
}

async function ports(): Promise<string[]> {
  const service = await startService({ env: { ...impatient, HAYRAKE_ALLOW_PRIVATE: '10.0.0.0/8:8000' } });
  try {
    const urls = ['http://10.0.0.9/', 'http://10.0.0.9:8000/', 'https://10.0.0.9/', 'http://10.0.0.9:22/'];
    const answers = await Promise.all(urls.map((url) => service.api('/crawler/jobs', { json: { urls: [url] } })));
    await crawlInto(service, 'port', { urls: ['http://10.0.0.9:8000/door', 'http://wiki.internal/door'] });
    return urls.filter((_, index) => answers[index]?.status !== 200);
  } finally {
    await service.close();
  }
}

async function throughProxy(): Promise<string[]> {
  const proxy = await startConnectProxy(tunnel);
  const env = { ...impatient, HAYRAKE_ALLOW_PRIVATE: '10.0.0.0/8', HAYRAKE_PROXY: `http://127.0.0.1:${proxy.port}` };
  const service = await startService({ env });
  try {
    await crawlInto(service, 'proxy, outside', { ...linksOnly, urls: [hop(inside)] });
    const outside = [...proxy.lines];
    await crawlInto(service, 'proxy, inside', { urls: [inside] });
    return outside;
  } finally {
    await service.close();
    await proxy.close();
  }
}

/** Connects where it is asked to. */
function tunnel(...[socket, head]: Parameters<Answer>): void {
  const [, host = '', port = ''] = /^CONNECT ([^ ]+):(\d+) /.exec(head) ?? [];
  const there = connect(Number(port), host);
  there.on('error', () => socket.destroy()).on('close', () => socket.destroy());
  socket.on('close', () => there.destroy()).removeAllListeners('data');
  socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
  socket.pipe(there).pipe(socket);
}

async function crawlInto(
  service: TestService,
  name: string,
  body: Readonly<Record<string, unknown>>,
  until: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const job = await service.crawl(body);
  await until();
  notices.push(...[...job.findings, ...job.notices].map(({ message }) => message));
  await noteEntries(service, name, job.id);
}

async function noteEntries(service: TestService, name: string, id: string): Promise<void> {
  const { data } = await service.ok<{ data: readonly { status: string; reason?: string; url: string }[] }>(
    `/crawler/jobs/${id}/urls?limit=400`,
  );
  entries[name] = data.map(({ status, reason = '', url }) => `${status} ${reason} ${url}`).toSorted();
  note(name);
}

function note(name: string): void {
  const ofStart = /^GET [^/]*\/(?:robots\.txt|sitemap\.xml)$/;
  const fetched = [...new Set(canaries.takeRequests())].filter((request) => request !== delivery);
  reached[name] = fetched.filter((request) => !ofStart.test(request)).toSorted();
}

async function scrape(service: TestService, name: string, url: string): Promise<void> {
  const answer = await service.ok<{ status: string; error?: { reason: string } }>('/scraper/scrape', { json: { url } });
  scrapes[name] = `${answer.status} ${answer.error?.reason ?? ''}`.trim();
  note(name);
}

async function untilReached(method: string): Promise<void> {
  const seen: string[] = [];
  while (!seen.some((request) => request.startsWith(method))) {
    seen.push(...canaries.takeRequests());
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  reached['delivery'] = seen.filter((request) => request !== delivery);
}

function hop(to: string, status = 302): string {
  return `http://pub.test/hop/${status}?to=${encodeURIComponent(to)}`;
}
