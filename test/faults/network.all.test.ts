// A name server or a network of our own that is gone: the crawl waits, nothing of it fails, and it goes on by itself.
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { runInNamespace, whyNoNamespace } from '../egress/namespace.ts';
import type { NetworkReport } from './inside-network.ts';

const hindrance = whyNoNamespace();
if (hindrance !== undefined) console.warn(`test/faults/network.all.test.ts is skipped: ${hindrance}.`);

/** The start, and ten hosts with three pages each. */
const pages = 31;

describe.skipIf(hindrance !== undefined)(
  'for longer than a host is waited for (needs root for network namespaces)',
  () => {
    let reports: Readonly<Record<string, NetworkReport>>;

    beforeAll(async () => {
      const module = path.join(import.meta.dirname, 'inside-network.ts');
      // Each waits for most of its time, in a namespace of its own.
      const runs = ['silence', 'failure', 'slow', 'link', 'unknown'].map(
        async (trouble) => [trouble, JSON.parse(await runInNamespace([module, trouble], [])) as NetworkReport] as const,
      );
      reports = Object.fromEntries(await Promise.all(runs));
    });

    test.each([
      ['the name server is silent', 'silence'],
      ['the name server fails for every name', 'failure'],
      ['the name server takes five seconds for every name', 'slow'],
      ['the link is down', 'link'],
    ])('%s: every page is there in the end', (what, trouble) => {
      const report = reports[trouble]!;
      console.info(`${what}: the first page came ${report.recoveredMs} ms after it was over`);
      expect(report).toMatchObject({ status: 'succeeded', ready: 200, failedMeanwhile: 0, reasons: {} });
      expect(report.progress).toMatchObject({ discovered: pages, scraped: pages, failed: 0, discarded: 0 });
      expect(report.codes).toContain('network_down');
      expect(report.codes).not.toContain('host_unreachable');
      // One may have been under way when it began.
      expect(report.attemptsMax).toBeLessThanOrEqual(2);
      expect(report.logged).toHaveLength(2);
    });

    test('the name server knows no name: that is an answer, and the host that is next fails', () => {
      const report = reports['unknown']!;
      expect(report.reasons).toEqual({ dns: 1 });
      expect(report.codes).not.toContain('network_down');
      expect(report.logged).toEqual([]);
    });
  },
);
