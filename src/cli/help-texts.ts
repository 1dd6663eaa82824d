// Which options the first screen of `--help` shows, in which order, and the flags of other tools.

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
      '--confirm-runs',
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

/** What people type who know another tool, by flag. */
const otherNames = new Map(
  Object.entries({
    '--depth -d --level': 'Here it is --max-depth N.',
    '--max-pages --page-limit --pages -n -l': 'Here it is --limit N.',
    '-O --output': 'Here it is --out: a directory of crawl and get, a file of scrape and export.',
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
  const hint = otherNames.get(flag.replaceAll(/(?<=[a-z])[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`));
  if (hint === undefined) return message;
  // A flag that only looks alike would lead elsewhere.
  return `${message.replace(/\n\(Did you mean[^]*$/u, '\n')}${hint}\n`;
}
