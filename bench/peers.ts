// Who is measured. Politeness is off for all, and each has the concurrency that was best for it here: README.md says what was
// tried.
import { fileURLToPath } from 'node:url';
import { freePort, serveCorpus } from './corpus.ts';
import type { Measured } from './measured.ts';
import { debianProgram, debianPython, debianPythonModules, npmPackages, type Requirement } from './requirements.ts';
import { ordered, runProgram } from './run-program.ts';
import { builtProgram, unhurried } from './service.ts';
import type { ExtractorName } from './text-score.ts';

export interface Peer {
  readonly name: string;
  readonly requires: Requirement;
  /** Whether it does what hayrake does: chooses the main content of each page, and keeps it on disk. Only then is that looked at. */
  readonly keepsContent: boolean;
  /** Whose text it delivers; none where nothing is converted. */
  readonly extractor?: ExtractorName;
  /** Only when named: not another program, but one of the others in another state. */
  readonly onRequest?: true;
  /** `startUrl` leads to all of the corpus; `look` sees the folder with what was kept. */
  run(startUrl: string, corpus: string, look: (folder: string) => void): Promise<Measured>;
}

export const ours = 'hayrake';

const linkedomPackages = ['@crawlee/cheerio', 'linkedom', 'turndown', 'turndown-plugin-gfm'] as const;
const readability = npmPackages(...linkedomPackages, '@mozilla/readability');
const mdream = '@mdream/rust-linux-x64-gnu';

export const peers: readonly Peer[] = [
  {
    name: ours,
    requires: debianProgram('curl'),
    keepsContent: true,
    extractor: 'hayrake',
    run: (startUrl, _corpus, look) => runHayrakeApi(startUrl, '', look),
  },
  {
    name: 'hayrake-cli',
    requires: () => undefined,
    keepsContent: true,
    extractor: 'hayrake',
    run: (startUrl, _corpus, look) =>
      runProgram(
        {
          command: ordered([process.execPath, builtProgram(), 'crawl', '--json', startUrl], [0, cliSomePagesFailed]),
          environment: unhurried,
        },
        look,
      ),
  },
  {
    name: 'hayrake-warm',
    requires: debianProgram('curl'),
    keepsContent: true,
    extractor: 'hayrake',
    onRequest: true,
    run: runHayrakeWarm,
  },
  keeping('readability', nodePeer('crawlee-readability', readability, 'crawlee-content.ts', 'readability', 'jsonl')),
  keeping(
    'readability',
    nodePeer('crawlee-readability-storage', readability, 'crawlee-content.ts', 'readability', 'storage'),
  ),
  keeping(
    'defuddle',
    nodePeer(
      'crawlee-defuddle',
      npmPackages(...linkedomPackages, 'defuddle'),
      'crawlee-content.ts',
      'defuddle',
      'jsonl',
    ),
  ),
  keeping('scrapy-readability', scrapy('scrapy-readability', 'readability')),
  {
    ...nodePeer('bare-loop', npmPackages('undici', 'htmlparser2', mdream), 'bare-loop.ts', '0', '16'),
    extractor: 'mdream',
  },
  {
    ...nodePeer('bare-loop-2-threads', npmPackages('undici', 'htmlparser2', mdream), 'bare-loop.ts', '2', '16'),
    extractor: 'mdream',
  },
  { ...nodePeer('spider-rs', npmPackages('@spider-rs/spider-rs', mdream), 'spider-rs.ts'), extractor: 'mdream' },
  { ...nodePeer('crawlee-memory', readability, 'crawlee.ts', 'memory'), extractor: 'turndown' },
  { ...nodePeer('crawlee-default', readability, 'crawlee.ts', 'default'), extractor: 'turndown' },
  { ...scrapy('scrapy', 'memory'), extractor: 'scrapy' },
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

/** What `hayrake crawl` ends with when a link of the site is broken. */
const cliSomePagesFailed = 3;

async function runHayrakeApi(startUrl: string, warmUpUrl: string, look: (folder: string) => void): Promise<Measured> {
  const service = [process.execPath, builtProgram()];
  const command = ['sh', programPath('hayrake-api.sh'), startUrl, String(await freePort()), warmUpUrl, ...service];
  return runProgram({ command, environment: unhurried }, look);
}

/** Warmed up on a server of its own, whose log is not the one in which pages are counted. */
async function runHayrakeWarm(startUrl: string, corpus: string, look: (folder: string) => void): Promise<Measured> {
  const server = await serveCorpus(corpus);
  try {
    return await runHayrakeApi(startUrl, server.contentsUrl, look);
  } finally {
    await server.close();
  }
}

function nodePeer(name: string, requires: Requirement, program: string, ...args: readonly string[]): Peer {
  return {
    name,
    requires,
    keepsContent: false,
    run: (startUrl, _corpus, look) =>
      runProgram({ command: [process.execPath, programPath(program), startUrl, ...args] }, look),
  };
}

function scrapy(name: string, mode: string): Peer {
  return {
    name,
    requires: debianPythonModules('scrapy', 'html2text', 'readability'),
    keepsContent: false,
    run: (startUrl, _corpus, look) =>
      runProgram({ command: [debianPython, programPath('scrapy.py'), startUrl, mode] }, look),
  };
}

function keeping(extractor: ExtractorName, peer: Peer): Peer {
  return { ...peer, keepsContent: true, extractor };
}

/** Copies a site into files, and converts nothing. */
function siteCopier(name: string, options: readonly string[], successes: readonly number[]): Peer {
  return {
    name,
    requires: debianProgram(name),
    keepsContent: false,
    run: (startUrl, _corpus, look) => runProgram({ command: ordered([name, ...options, startUrl], successes) }, look),
  };
}

function programPath(name: string): string {
  return fileURLToPath(new URL(`peers/${name}`, import.meta.url));
}
