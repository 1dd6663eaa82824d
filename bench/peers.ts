// Who is measured. Politeness is off for all, and each has the concurrency that was best for it here: README.md says what was
// tried.
import { fileURLToPath } from 'node:url';
import { serveCorpus } from './corpus.ts';
import { type Measured, measureProcess } from './measured.ts';
import { debianProgram, debianPython, debianPythonModules, npmPackages, type Requirement } from './requirements.ts';
import { ordered, runProgram } from './run-program.ts';
import { crawl, type Service, startService } from './service.ts';

export interface Peer {
  readonly name: string;
  readonly requires: Requirement;
  /** Only when named: not another program, but one of the others in another state. */
  readonly onRequest?: true;
  /** `startUrl` leads to all of the corpus. */
  run(startUrl: string, corpus: string): Promise<Measured>;
}

export const ours = 'hayrake';

export const peers: readonly Peer[] = [
  { name: ours, requires: () => undefined, run: (startUrl) => runHayrake(startUrl) },
  {
    name: 'hayrake-warm',
    requires: () => undefined,
    onRequest: true,
    run: (startUrl, corpus) => runHayrake(startUrl, async (service) => crawlTwice(service, corpus)),
  },
  nodePeer('bare-loop', npmPackages('undici', 'htmlparser2', 'mdream'), 'bare-loop.ts', '0', '16'),
  nodePeer('bare-loop-2-threads', npmPackages('undici', 'htmlparser2', 'mdream'), 'bare-loop.ts', '2', '16'),
  nodePeer('spider-rs', npmPackages('@spider-rs/spider-rs', 'mdream'), 'spider-rs.ts'),
  nodePeer('crawlee-memory', npmPackages('@crawlee/cheerio', 'turndown'), 'crawlee.ts', 'memory'),
  nodePeer('crawlee-default', npmPackages('@crawlee/cheerio', 'turndown'), 'crawlee.ts', 'default'),
  {
    ...nodePeer('crawlee-joplin', npmPackages('@crawlee/cheerio', 'turndown'), 'crawlee.ts', 'joplin'),
    onRequest: true,
  },
  {
    name: 'scrapy',
    requires: debianPythonModules('scrapy', 'html2text'),
    run: (startUrl) => runProgram([debianPython, programPath('scrapy.py'), startUrl]),
  },
  siteCopier(
    'wget',
    ['--recursive', '--level=inf', '--quiet', '--execute=robots=off', '--ignore-tags=img,link,script'],
    [0, 8],
  ),
  siteCopier(
    'wget2',
    ['--recursive', '--level=inf', '--quiet', '--robots=off', '--ignore-tags=img,link,script', '--max-threads=4'],
    [0, 8],
  ),
  siteCopier(
    'httrack',
    [
      '--quiet',
      '--robots=0',
      '--disable-security-limits',
      '--max-rate=0',
      '--sockets=8',
      '--connection-per-second=0',
      '--cache=0',
    ],
    [0],
  ),
];

async function runHayrake(startUrl: string, before?: (service: Service) => Promise<void>): Promise<Measured> {
  const service = await startService();
  try {
    await before?.(service);
    return await measureProcess(service.pid, async () => {
      const posted = Date.now();
      const job = await crawl(service, startUrl);
      return ((job.finishedAt ?? Number.NaN) - posted) / 1000;
    });
  } finally {
    await service.stop();
  }
}

/** From a server of its own, whose log is not the one in which pages are counted. */
async function crawlTwice(service: Service, corpus: string): Promise<void> {
  const server = await serveCorpus(corpus);
  try {
    for (let number = 0; number < 2; number++) await crawl(service, server.contentsUrl);
  } finally {
    await server.close();
  }
}

function nodePeer(name: string, requires: Requirement, program: string, ...args: readonly string[]): Peer {
  return {
    name,
    requires,
    run: (startUrl) => runProgram([process.execPath, programPath(program), startUrl, ...args]),
  };
}

/** Copies a site into files, and converts nothing. */
function siteCopier(name: string, options: readonly string[], successes: readonly number[]): Peer {
  return {
    name,
    requires: debianProgram(name),
    run: (startUrl) => runProgram(ordered([name, ...options, startUrl], successes)),
  };
}

function programPath(name: string): string {
  return fileURLToPath(new URL(`peers/${name}`, import.meta.url));
}
