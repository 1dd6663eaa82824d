// A request for a job in the words of a shell, of languages, and of the command line.
import { bodyOf, type Input, type Kind, kindPaths } from './request.ts';
import type { JobOption } from './schema.ts';

interface Request {
  readonly kind: Kind;
  readonly input: Input;
  readonly options: readonly JobOption[];
}

export const languages = ['curl', 'TypeScript', 'Python', 'CLI'] as const;
export type Language = (typeof languages)[number];

/** Leaves out what is the default anyway, and what the request does not take. */
export function withoutDefaults(input: Input, options: readonly JobOption[]): Input {
  const defaults = new Map(options.map((option) => [option.name, option.default]));
  return Object.fromEntries(
    Object.entries(input).filter(
      ([name, value]) =>
        name === 'urls' || (defaults.has(name) && JSON.stringify(value) !== JSON.stringify(defaults.get(name))),
    ),
  );
}

/** The request in a language. The clients are those that come with the service. */
export function requestText(language: Language, { kind, input, options }: Request): string {
  const url = location.origin;
  const { urls, ...rest } = input;
  const target = kind === 'map' ? firstOf(urls) : urls;
  const hasOptions = Object.keys(rest).length > 0;
  switch (language) {
    case 'curl':
      return `curl ${url}${kindPaths[kind]} \\\n  -H "Authorization: Bearer $HAYRAKE_TOKEN" \\\n  -H "Content-Type: application/json" \\\n  -d ${shellWord(JSON.stringify(bodyOf(kind, input), null, 2))}`;
    case 'TypeScript': {
      const given = [target, ...(hasOptions ? [rest] : [])].map((each) => JSON.stringify(each, null, 2)).join(', ');
      return `import { Hayrake } from 'hayrake/client';

const client = new Hayrake({ url: '${url}' }); // token: HAYRAKE_TOKEN
${kind === 'map' ? 'const { data }' : 'const job'} = await client.${kind}(${given});
${kind === 'map' ? 'for (const { url } of data) console.log(url);' : 'for await (const page of client.pages(job)) console.log(page.meta.url, page.text.length);'}`;
    }
    case 'Python': {
      const given = [
        pythonText(target),
        ...Object.entries(rest).map(([name, value]) => `${name}=${pythonText(value)}`),
      ].map((each) => `    ${indented(each, '    ')},`);
      return `from hayrake import Hayrake

client = Hayrake(url="${url}")  # token: HAYRAKE_TOKEN
${kind === 'map' ? 'found' : 'job'} = client.${kind}(
${given.join('\n')}
)
${kind === 'map' ? 'for row in found["data"]:\n    print(row["url"])' : 'for page in client.pages(job):\n    print(page["meta"]["url"], len(page["text"]))'}`;
    }
    case 'CLI':
      return cliLine({ kind, input, options }).line;
  }
}

/** What the command line does otherwise than the request; empty if nothing. */
export function cliDifference(request: Request): string {
  const { kind } = request;
  const { missing } = cliLine(request);
  const parts = [
    ...(kind === 'batch'
      ? [
          'It has no command for a batch. A crawl that follows no links reads the same pages, and robots.txt and sitemaps too.',
        ]
      : []),
    ...(kind === 'crawl' ? ['It also waits for the end, and writes the pages into a directory.'] : []),
    ...(missing.length > 0
      ? [`It has no option for ${missing.map((name) => `\`${name}\``).join(', ')}, so these are left out.`]
      : []),
  ];
  return parts.join(' ');
}

function firstOf(urls: unknown): unknown {
  return Array.isArray(urls) ? (urls as readonly unknown[])[0] : urls;
}

function cliLine({ kind, input, options }: Request): { readonly line: string; readonly missing: readonly string[] } {
  const urls = Array.isArray(input['urls']) ? input['urls'].map(String) : [];
  const missing: string[] = [];
  const flags = Object.entries(input).flatMap(([name, value]) => {
    const flag = options.find((option) => option.name === name)?.cli;
    if (name === 'urls' || (value === null && flag?.reads !== 'secondsOrNever')) return [];
    const words = flag && flagWords(flag, value);
    if (!words) missing.push(name);
    return words ?? [];
  });
  const command = kind === 'map' ? 'hayrake map' : 'hayrake crawl';
  const given = (kind === 'map' ? urls.slice(0, 1) : urls).map(shellWord);
  const all = [
    ...given,
    ...(kind === 'batch' ? ['--max-depth 0'] : []),
    ...flags,
    `--server ${shellWord(location.origin)}`,
  ];
  const line = [command, ...all].join(all.length > 3 ? ' \\\n  ' : ' ');
  return { line, missing };
}

/** Undefined if the command line cannot say it. */
function flagWords(
  { flags, reads, separator = ':', sets, values = {} }: NonNullable<JobOption['cli']>,
  value: unknown,
): string[] | undefined {
  const name = /--[\w-]+/.exec(flags)?.[0] ?? flags;
  switch (reads) {
    case 'switch':
      return value === sets ? [name] : undefined;
    case 'list':
      return Array.isArray(value) ? value.map((each) => `${name} ${shellWord(String(each))}`) : undefined;
    case 'pairs':
      return Object.entries(value as object).map(
        ([key, each]) => `${name} ${shellWord(`${key}${separator}${separator === ':' ? ' ' : ''}${String(each)}`)}`,
      );
    case 'named': {
      const [word] = Object.entries(values).find(([, each]) => each === value) ?? [];
      return word === undefined ? undefined : [`${name} ${word}`];
    }
    case 'json':
      return [`${name} <(echo ${shellWord(JSON.stringify(value))})`];
    case 'secondsOrNever':
      return [`${name} ${typeof value === 'number' ? value : 'never'}`];
    case 'choice':
    case 'number':
    case 'text':
      return [`${name} ${shellWord(String(value))}`];
  }
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function pythonText(input: unknown): string {
  const text = (value: unknown, indent: string): string => {
    if (value === null) return 'None';
    if (typeof value === 'boolean') return value ? 'True' : 'False';
    if (typeof value !== 'object') return JSON.stringify(value);
    const inner = `${indent}    `;
    const parts = Array.isArray(value)
      ? value.map((each) => inner + text(each, inner))
      : Object.entries(value).map(([name, each]) => `${inner}${JSON.stringify(name)}: ${text(each, inner)}`);
    const [open, close] = Array.isArray(value) ? '[]' : '{}';
    return parts.length === 0 ? `${open}${close}` : `${open}\n${parts.join(',\n')},\n${indent}${close}`;
  };
  return text(input, '');
}

function indented(text: string, by: string): string {
  return text.replaceAll('\n', `\n${by}`);
}
