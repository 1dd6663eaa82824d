// Targets of the fuzzer that are broken, each on inputs that it has to find.
import type { Target } from '../../prove/fuzz/targets.ts';
import { parseRobots } from '../../src/robots/robots-rules.ts';

const broken = (run: (text: string) => void): Target => ({
  seeds: ['User-agent: *\nDisallow: /a\n'],
  words: ['Allow: ', 'Crawl-delay: ', 'Sitemap: ', '9', '\n'],
  run: (bytes) => {
    parseRobots(bytes);
    run(Buffer.from(bytes).toString('latin1'));
  },
});

export const targets: Readonly<Record<string, Target>> = {
  throws: broken((text) => {
    if (/^sitemap:/imu.test(text)) throw new RangeError('a sitemap is too much');
  }),
  dies: broken((text) => {
    if (/^crawl-delay:/imu.test(text)) process.kill(process.pid, 'SIGKILL');
  }),
};
