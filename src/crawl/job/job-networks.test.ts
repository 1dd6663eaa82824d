import { expect, test } from 'vitest';
import { jobSpec } from '../../../test/job-spec.ts';
import { publicWeb, type Networks } from '../../core/ports/fetcher.ts';
import type { JobSpec } from '../../core/job.ts';
import { scopeHostOf } from '../../url/scope.ts';
import { JobNetworks } from './job-networks.ts';

const [inner, other] = ['10.0.0.0/8', '192.168.0.0/16'];

/** A job on these start URLs. `where` returns the network of a host at this moment. */
function networksOf(
  urls: readonly string[],
  where: (host: string) => string | undefined,
  options: Partial<{ spec: Partial<JobSpec>; known: Readonly<Record<string, string>>; joined: readonly string[] }> = {},
): { readonly job: JobNetworks; readonly noted: Record<string, string>; readonly asked: string[] } {
  const noted: Record<string, string> = {};
  const asked: string[] = [];
  const networks: Networks = {
    privateNetworks: [inner, other],
    networkOf: (url) => {
      asked.push(url.host);
      return Promise.resolve(where(url.host));
    },
  };
  const job = {
    id: 'job',
    org: 'default',
    createdAt: 0,
    spec: jobSpec({ urls, ...options.spec }),
    scopeHosts: urls.map((url) => scopeHostOf(new URL(url))),
    networks: options.known ?? {},
    headers: {},
    movedStarts: {},
    honestHosts: {},
    endedTemplates: [],
  };
  const note = (some: Readonly<Record<string, string>>): Promise<Readonly<Record<string, string>>> =>
    Promise.resolve(Object.assign(noted, some));
  return { job: new JobNetworks(job, networks, note), noted, asked };
}

const at = (url: string): URL => new URL(url);

test('JobNetworks: keeps a start host in the network where it was first resolved', async () => {
  let network: string | undefined = publicWeb;
  const { job, noted } = networksOf(['http://rebinding.test/'], () => network);
  expect(await job.entranceOf(at('http://rebinding.test/a'))).toBeUndefined();
  network = inner;
  expect(await job.entranceOf(at('http://rebinding.test/b'))).toBeUndefined();
  expect(noted).toEqual({ 'rebinding.test': publicWeb });
});

test('JobNetworks: keeps stored decisions, except for a network that is no longer open', async () => {
  const known = { 'a.test': publicWeb, 'b.test': inner, 'c.test': '172.16.0.0/12' };
  const urls = ['http://a.test/', 'http://b.test/', 'http://c.test/'];
  const { job, asked } = networksOf(urls, () => other, { known });
  const entrances: (string | undefined)[] = [];
  for (const url of urls) entrances.push(await job.entranceOf(at(url)));
  expect(entrances).toEqual([undefined, inner, other]);
  expect(asked).toEqual(['c.test']);
});

test('JobNetworks: hides hosts of other private networks from a page, and shows hosts of its own network and the public web', async () => {
  const where = { 'pub.test': publicWeb, 'in.test': inner, 'lan.test': other } as const;
  const urls = Object.keys(where).map((host) => `http://${host}/`);
  const { job } = networksOf(urls, (host) => (where as Record<string, string>)[host]);
  expect(await job.hiddenFrom(undefined)).toEqual(['in.test', 'lan.test']);
  expect(await job.hiddenFrom(inner)).toEqual(['lan.test']);
  expect(await job.isHiddenFrom(undefined, at('http://www.in.test/x'))).toBe(true);
  expect(await job.isHiddenFrom(undefined, at('http://elsewhere.test/'))).toBe(false);
});

test('JobNetworks: hides a host that cannot be resolved yet, and decides later', async () => {
  const { job } = networksOf(['http://pub.test/', 'http://slow.test/'], (host) =>
    host === 'pub.test' ? publicWeb : undefined,
  );
  expect(await job.hiddenFrom(undefined)).toEqual(['slow.test']);
  expect(await job.entranceOf(at('http://slow.test/'))).toBeUndefined();
});

test('JobNetworks: puts a subdomain into the network of the nearest host of the job', async () => {
  const urls = ['http://corp.test/', 'http://wiki.corp.test/', 'http://www.shop.test/'];
  const { job } = networksOf(urls, (host) => (host === 'wiki.corp.test' ? inner : publicWeb), {
    spec: { scope: 'subdomains' },
  });
  expect(await job.entranceOf(at('http://docs.wiki.corp.test/'))).toBe(inner);
  expect(await job.entranceOf(at('http://rebinding.corp.test/'))).toBeUndefined();
  expect(await job.entranceOf(at('http://a.shop.test/'))).toBeUndefined();
});

test('JobNetworks: resolves and stores nothing when no private network is open', async () => {
  const fail = (): never => {
    throw new Error('not to be called');
  };
  const job = new JobNetworks(
    {
      id: 'job',
      org: 'default',
      createdAt: 0,
      spec: jobSpec({ urls: ['http://pub.test/'] }),
      scopeHosts: ['pub.test'],
      networks: {},
      headers: {},
      movedStarts: {},
      honestHosts: {},
      endedTemplates: [],
    },
    { privateNetworks: [], networkOf: fail },
    fail,
  );
  expect(await job.entranceOf(at('http://pub.test/'))).toBeUndefined();
  expect(await job.hiddenFrom(undefined)).toEqual([]);
});
