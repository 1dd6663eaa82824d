import { describe, expect, it } from 'vitest';
import { hostilePages } from '../../test/hostile-pages.ts';
import type { ExtractOptions } from './extract-page.ts';
import { extractPage } from './extract-page.ts';

const options: ExtractOptions = {
  url: 'https://example.com/guide/',
  headers: { link: '', refresh: '', contentLanguage: '' },
  robotsTag: new Set(),
  outputFormat: 'markdown',
  content: 'auto',
  excludeElements: null,
};

describe('hostile pages', () => {
  it.each(hostilePages)(
    'extractPage: takes processor time in proportion to the page for %s',
    { timeout: 60_000 },
    (_, make) => {
      const html = make();
      for (const outputFormat of ['markdown', 'text', 'html'] as const) {
        const start = process.cpuUsage();
        expect(extractPage(html, { ...options, outputFormat }).text.length).toBeLessThan(20_000_000);
        // Processor time, since other processes can load the machine. A second is enough; quadratic behaviour takes
        // minutes.
        expect(process.cpuUsage(start).user / 1e6).toBeLessThan(10);
      }
    },
  );
});
