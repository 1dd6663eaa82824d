// Which commands and options the first screen of `--help` shows, in which order, and the examples of each command.

interface OptionGroup {
  readonly title: string;
  /** Long flags on the first screen. */
  readonly first: readonly string[];
  /** Those that only `--help all` shows. */
  readonly more?: readonly string[];
}

export const optionGroups: readonly OptionGroup[] = [
  {
    title: 'Which pages:',
    first: [
      '--limit',
      '--max-depth',
      '--scope',
      '--include',
      '--exclude',
      '--sitemap-only',
      '--files',
      '--urls-from',
      '--since',
    ],
    more: [
      '--only-changed',
      '--trust-lastmod',
      '--deliver',
      '--include-pattern',
      '--exclude-pattern',
      '--pattern-target',
      '--allow-external',
      '--ignore-query',
      '--min-length',
      '--fetch-limit',
      '--time-limit',
      '--follow-logout',
      '--follow-nofollow',
      '--no-trap-detection',
    ],
  },
  {
    title: 'Content:',
    first: ['--format', '--formats', '--full', '--extract'],
    more: [
      '--store-raw',
      '--include-elements',
      '--exclude-elements',
      '--links',
      '--images',
      '--title',
      '--chunk-chars',
    ],
  },
  {
    title: 'Output:',
    first: ['--out', '--output', '--json'],
    more: ['--convert-links', '--front-matter', '--output-expiry', '--strict', '--webhook-url'],
  },
  {
    title: 'Browser:',
    first: ['--browser', '--screenshot'],
    more: ['--wait-for', '--load-resources'],
  },
  {
    title: 'Access and pace:',
    first: ['--header', '--cookie', '--job-delay-ms'],
    more: [
      '--job-concurrency',
      '--job-unreachable-seconds',
      '--ignore-robots',
      '--insecure-tls',
      '--proxy',
      '--no-keep-cookies',
      '--priority',
    ],
  },
];

/** Settings on the first screen of a command that has them. */
export const firstSettings: readonly string[] = ['--data', '--host', '--port', '--allow-private'];

interface CommandHelp {
  /** Absent for a command below another. */
  readonly group?: string;
  readonly examples: readonly [string, string, string];
}

const crawling = 'Crawl:';
const reading = 'Read what was crawled:';
const ending = 'End jobs:';
const serving = 'Run the service:';
const keeping = 'Keep the data:';
const finding = 'Find out:';

/** By command, in the order of the help. */
export const commandHelp: Readonly<Record<string, CommandHelp>> = {
  crawl: {
    group: crawling,
    examples: [
      'crawl https://example.com/docs --scope path --out pages',
      "crawl https://example.com --limit 100 --exclude '/blog/**' --json > pages.jsonl",
      "crawl https://example.com --header 'Authorization: Bearer SECRET'",
    ],
  },
  scrape: {
    group: crawling,
    examples: [
      'scrape https://example.com > page.md',
      'scrape https://example.com --formats source,links --json',
      'scrape https://example.com --browser always --wait-for main',
    ],
  },
  map: {
    group: crawling,
    examples: [
      'map https://example.com > urls.txt',
      'map https://example.com --containing /blog/ --limit 100',
      'map https://example.com | hayrake crawl --urls-from - --max-depth 0 --out pages',
    ],
  },
  resume: {
    group: crawling,
    examples: ['resume last', 'resume last --out pages', 'resume 7ZC4M --server http://127.0.0.1:8380'],
  },
  retry: {
    group: crawling,
    examples: ['retry last', "retry last --header 'Authorization: Bearer SECRET'", 'retry 7ZC4M --json > again.jsonl'],
  },
  reextract: {
    group: crawling,
    examples: [
      'reextract last --full --out pages',
      'reextract last --extract fields.json --json > pages.jsonl',
      "reextract 7ZC4M --exclude-elements '.comments'",
    ],
  },
  jobs: {
    group: reading,
    examples: ['jobs', 'jobs --status stopped', 'jobs --json --limit 5'],
  },
  get: {
    group: reading,
    examples: ['get last --out pages', 'get last --json > pages.jsonl', 'get last --chunk heading > chunks.jsonl'],
  },
  search: {
    group: reading,
    examples: ['search last install', 'search last \'"exact words"\' --limit 20', 'search 7ZC4M install --json'],
  },
  export: {
    group: reading,
    examples: [
      'export last --format zip -o pages.zip',
      'export last --format parquet -o pages.parquet',
      'export last --format llms.txt -o -',
    ],
  },
  why: {
    group: reading,
    examples: ['why last /about', 'why last https://example.com/about', 'why last /about --text'],
  },
  changes: {
    group: reading,
    examples: ['changes last', 'changes last --diff /about', 'changes 7ZC4M8N0EM0V3T2K9QJ5RCWBDA --json'],
  },
  open: {
    group: reading,
    examples: ['open last', 'open 7ZC4M', 'open last --print'],
  },
  cancel: {
    group: ending,
    examples: ['cancel last', 'cancel 7ZC4M', 'cancel last --server http://127.0.0.1:8380'],
  },
  delete: {
    group: ending,
    examples: ['delete last', 'delete 7ZC4M', 'delete last --server http://127.0.0.1:8380'],
  },
  erase: {
    group: ending,
    examples: ['erase last 7', 'erase 7ZC4M 7 --url', 'erase last 7 --server http://127.0.0.1:8380'],
  },
  serve: {
    group: serving,
    examples: ['serve', 'serve --data /var/lib/hayrake --port 9000', 'serve --allow-private 10.0.0.0/8'],
  },
  api: {
    group: serving,
    examples: ['api', 'api --host 0.0.0.0', 'api --port 9000'],
  },
  worker: {
    group: serving,
    examples: ['worker', 'worker --port 9001', 'worker --resume'],
  },
  mcp: {
    group: serving,
    examples: ['mcp', 'mcp --data ~/crawls', 'mcp --server http://127.0.0.1:8380'],
  },
  token: {
    group: serving,
    examples: ['token create --name laptop', 'token list', 'token revoke t_4f2a'],
  },
  'token create': {
    examples: [
      'token create --name laptop',
      'token create --org acme --permissions read',
      'token create --expires 30d --data /var/lib/hayrake',
    ],
  },
  'token list': {
    examples: ['token list', 'token list --data /var/lib/hayrake', 'token list | grep active'],
  },
  'token revoke': {
    examples: [
      'token revoke t_4f2a',
      'token revoke t_4f2a --data /var/lib/hayrake',
      'token revoke t_4f2a --config c.json',
    ],
  },
  schedule: {
    group: serving,
    examples: [
      "schedule add docs '0 3 * * *' https://example.com",
      'schedule list',
      'schedule run 7ZC4M8N0EM0V3T2K9QJ5RCWBDA',
    ],
  },
  'schedule add': {
    examples: [
      "schedule add docs '0 3 * * *' https://example.com --time-zone Europe/Berlin",
      'schedule add news @hourly https://example.com/news --limit 50 --keep 24',
      "schedule add intranet '0 6 * * MON' https://example.com --header 'Authorization: Bearer SECRET' --overlap queue",
    ],
  },
  'schedule list': {
    examples: ['schedule list', 'schedule list --json', 'schedule list --server http://127.0.0.1:8380'],
  },
  'schedule show': {
    examples: [
      'schedule show 7ZC4M8N0EM0V3T2K9QJ5RCWBDA',
      'schedule show 7ZC4M8N0EM0V3T2K9QJ5RCWBDA --data /var/lib/hayrake',
      'schedule show 7ZC4M8N0EM0V3T2K9QJ5RCWBDA --server http://127.0.0.1:8380',
    ],
  },
  'schedule run': {
    examples: [
      'schedule run 7ZC4M8N0EM0V3T2K9QJ5RCWBDA',
      'schedule run 7ZC4M8N0EM0V3T2K9QJ5RCWBDA --data /var/lib/hayrake',
      'schedule run 7ZC4M8N0EM0V3T2K9QJ5RCWBDA --server http://127.0.0.1:8380',
    ],
  },
  'schedule pause': {
    examples: [
      'schedule pause 7ZC4M8N0EM0V3T2K9QJ5RCWBDA',
      'schedule pause 7ZC4M8N0EM0V3T2K9QJ5RCWBDA --data /var/lib/hayrake',
      'schedule pause 7ZC4M8N0EM0V3T2K9QJ5RCWBDA --server http://127.0.0.1:8380',
    ],
  },
  'schedule resume': {
    examples: [
      'schedule resume 7ZC4M8N0EM0V3T2K9QJ5RCWBDA',
      'schedule resume 7ZC4M8N0EM0V3T2K9QJ5RCWBDA --data /var/lib/hayrake',
      'schedule resume 7ZC4M8N0EM0V3T2K9QJ5RCWBDA --server http://127.0.0.1:8380',
    ],
  },
  'schedule rm': {
    examples: [
      'schedule rm 7ZC4M8N0EM0V3T2K9QJ5RCWBDA',
      'schedule rm 7ZC4M8N0EM0V3T2K9QJ5RCWBDA --data /var/lib/hayrake',
      'schedule rm 7ZC4M8N0EM0V3T2K9QJ5RCWBDA --server http://127.0.0.1:8380',
    ],
  },
  'webhook-key': {
    group: serving,
    examples: ['webhook-key', 'webhook-key --org acme', 'webhook-key --rotate'],
  },
  backup: {
    group: keeping,
    examples: ['backup today.backup', 'backup today.backup --force', 'backup today.backup --data /var/lib/hayrake'],
  },
  restore: {
    group: keeping,
    examples: [
      'restore today.backup --data /var/lib/hayrake',
      'restore today.backup',
      'restore today.backup --config c.json',
    ],
  },
  blobs: { group: keeping, examples: ['blobs adopt', 'blobs adopt --data ./restored', 'blobs adopt --config c.json'] },
  'blobs adopt': {
    group: keeping,
    examples: ['blobs adopt', 'blobs adopt --data /var/lib/hayrake', 'blobs adopt --config c.json'],
  },
  check: {
    group: keeping,
    examples: ['check', 'check --quick', 'check --data /var/lib/hayrake'],
  },
  migrate: {
    group: keeping,
    examples: [
      'migrate --from ./.hayrake',
      'migrate --from /var/lib/hayrake',
      'migrate --from ./.hayrake --to postgres://hayrake@localhost/hayrake',
    ],
  },
  doctor: {
    group: finding,
    examples: ['doctor', 'doctor --json', 'doctor --data /var/lib/hayrake'],
  },
  config: {
    group: finding,
    examples: ['config', 'config --port 9000', 'config | grep PROXY'],
  },
  health: {
    group: finding,
    examples: ['health', 'health --server http://127.0.0.1:8380', 'health --port 9001'],
  },
  docs: {
    group: finding,
    examples: ['docs', 'docs recipes', 'docs options | less'],
  },
};

export function commandOrder(name: string): number {
  const at = Object.keys(commandHelp).indexOf(name);
  return at === -1 ? Number.POSITIVE_INFINITY : at;
}

/** What people type who know another tool, by flag. */
const otherNames = new Map(
  Object.entries({
    '--depth -d --level': 'Here it is --max-depth N.',
    '--max-pages --page-limit --pages -n': 'Here it is --limit N.',
    '-o -O --output': 'Here it is --out DIR for a file per page, or --json > FILE for all pages in one.',
    '-x': 'Set HAYRAKE_PROXY in the environment: a command line shows its password to other users.',
    '--user-agent -A': 'The user agent is fixed; --contact adds how to reach you. Sites that need another: --header.',
    '-H': "Here it is --header 'Name: value'.",
    '--user -u': "Write it in the URL, https://NAME:PASSWORD@host/, or as --header 'Authorization: ...'.",
    '-k --insecure': 'Here it is --insecure-tls, for private networks.',
    '--delay --wait': 'Here it is --job-delay-ms MS.',
    '--timeout': 'A crawl has --time-limit SECONDS.',
    '--markdown': 'Here it is --format markdown, which is the default.',
    '--html': 'Here it is --format html; --formats source --json gives the HTML as the site sent it.',
    '--js --render --headless': 'Here it is --browser always.',
    '--ignore-robots-txt': 'Here it is --ignore-robots.',
    '--resume': 'Here it is a command: hayrake resume last.',
  }).flatMap(([flags, hint]) => flags.split(' ').map((flag) => [flag, hint] as const)),
);

/** Adds to an error of commander what the flag is called here. */
export function withHint(message: string): string {
  const [, flag = ''] = /unknown option '(-{1,2}[\w-]+)/u.exec(message) ?? [];
  const hint = otherNames.get(flag);
  if (hint === undefined) return message;
  // A flag that only looks alike would lead elsewhere.
  return `${message.replace(/\n\(Did you mean[^]*$/u, '\n')}${hint}\n`;
}
