// Crawls a generated site through the real program, over real HTTP, and compares the crawl with what the site expects.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { codesOf, ledgerOf } from '../e2e/ledger.ts';
import { readToEnd } from '../service/read-results.ts';
import { startService, type TestService } from '../service/start-service.ts';
import { compare, type Observed, type Verdict } from './compare.ts';
import { type OwnCertificate, ownCertificate } from './own-certificate.ts';
import { serveSite } from './serve-site.ts';
import type { Site, SiteModule, Size } from './site.ts';

export interface SiteResult extends Verdict {
  readonly name: string;
  readonly requests: number;
  readonly seconds: number;
}

/** The service that crawls the sites, with the default settings. */
export interface SiteCrawler {
  crawl(site: SiteModule, size: Size): Promise<SiteResult>;
  close(): Promise<void>;
}

export async function startSiteCrawler(): Promise<SiteCrawler> {
  const certificate = ownCertificate();
  const folder = await mkdtemp(path.join(tmpdir(), 'hayrake-sites-'));
  const file = path.join(folder, 'certificate.pem');
  await writeFile(file, certificate.cert);
  const service = await startService({ env: { NODE_EXTRA_CA_CERTS: file } });
  return {
    crawl: (site, size) => crawlSite(service, certificate, site, size),
    close: async () => {
      await service.close();
      await rm(folder, { recursive: true });
    },
  };
}

async function crawlSite(
  service: TestService,
  certificate: OwnCertificate,
  { name, build }: SiteModule,
  size: Size,
): Promise<SiteResult> {
  const site = build(size);
  const served = await serveSite(site, certificate);
  try {
    const start = performance.now();
    const job = await service.crawl({ urls: [`${served.origin}/`], ...site.options });
    const seconds = (performance.now() - start) / 1000;
    const nameOf = namer(site, served.origin);
    const ledger = await ledgerOf(service, job.id);
    const pages = await readToEnd(service, job.id, 'data', () => 400);
    const observed: Observed = {
      status: job.status,
      notices: codesOf(job),
      rows: ledger.map(({ url, status, reason, detail }) => ({
        name: nameOf(url),
        end: reason ?? status,
        detail: reason === 'duplicate_of' && detail !== undefined ? nameOf(detail) : detail,
      })),
      pages: pages.map(({ meta, text = '' }) => ({ name: nameOf(meta.url), text })),
      requests: served.requests().map(nameOf),
      inFlightMax: served.inFlightMax(),
    };
    return { name, ...compare(site, observed), requests: observed.requests.length, seconds };
  } finally {
    await served.close();
  }
}

/** URLs of the site's own origin by path and query, others whole, with `{{host}}` for that of the site. */
function namer({ nameOf = (each) => each }: Site, origin: string): (url: string) => string {
  const { host } = new URL(origin);
  return (url) => nameOf(url.startsWith(`${origin}/`) ? url.slice(origin.length) : url.replace(host, '{{host}}'));
}

export const tableHead = row(['site', 'expected', 'delivered', 'missing', 'fetched', 'other', 'requests', 'seconds']);

/** A line of the table. */
export function lineOf(result: SiteResult): string {
  const { name, expected, delivered, wronglyMissing, wronglyFetched, otherFaults, requests, seconds } = result;
  const counts = [expected, delivered, wronglyMissing.length, wronglyFetched.length, otherFaults.length, requests];
  return row([name, ...counts.map(String), seconds.toFixed(1)]);
}

export function faultsOf({ wronglyMissing, wronglyFetched, otherFaults }: Verdict): string[] {
  return [
    ...wronglyMissing.map((fault) => `missing: ${fault}`),
    ...wronglyFetched.map((fault) => `fetched: ${fault}`),
    ...otherFaults.map((fault) => `other: ${fault}`),
  ];
}

function row([name = '', ...figures]: readonly string[]): string {
  return name.padEnd(18) + figures.map((figure) => figure.padStart(10)).join('');
}
