// A request for a job in the words of a shell, of languages, and of the command line.
import type { JobOption } from './schema.ts';

export type Input = Readonly<Record<string, unknown>>;

export const languages = ['curl', 'TypeScript', 'Python', 'CLI'] as const;
export type Language = (typeof languages)[number];

/** Leaves out what is the default anyway. */
export function withoutDefaults(input: Input, options: readonly JobOption[]): Input {
  const defaults = new Map(options.map((option) => [option.name, option.default]));
  return Object.fromEntries(
    Object.entries(input).filter(
      ([name, value]) => name === 'urls' || JSON.stringify(value) !== JSON.stringify(defaults.get(name)),
    ),
  );
}

export function requestText(language: Language, input: Input, options: readonly JobOption[]): string {
  const url = `${location.origin}/crawler/jobs`;
  const json = JSON.stringify(input, null, 2);
  switch (language) {
    case 'curl':
      return `curl ${url} \\\n  -H "Authorization: Bearer $TOKEN" \\\n  -H "Content-Type: application/json" \\\n  -d ${shellWord(json)}`;
    case 'TypeScript':
      return `const response = await fetch('${url}', {
  method: 'POST',
  headers: {
    authorization: \`Bearer \${process.env.TOKEN}\`,
    'content-type': 'application/json',
  },
  body: JSON.stringify(${indented(json, '  ')}),
});
if (!response.ok) throw new Error(await response.text());
const job = await response.json();
console.log(job.id);`;
    case 'Python':
      return `import json, os, urllib.request

request = urllib.request.Request(
    "${url}",
    data=json.dumps(${indented(pythonText(input), '    ')}).encode(),
    headers={
        "Authorization": f"Bearer {os.environ['TOKEN']}",
        "Content-Type": "application/json",
    },
)
with urllib.request.urlopen(request) as response:
    print(json.load(response)["id"])`;
    case 'CLI':
      return cliText(input, options);
  }
}

function cliText(input: Input, options: readonly JobOption[]): string {
  const urls = Array.isArray(input['urls']) ? input['urls'].map(String) : [];
  const missing: string[] = [];
  const flags = Object.entries(input).flatMap(([name, value]) => {
    if (name === 'urls' || value === null) return [];
    const flag = options.find((option) => option.name === name)?.cli;
    const words = flag && flagWords(flag, value);
    if (!words) missing.push(name);
    return words ?? [];
  });
  const line = ['hayrake crawl', ...urls.map(shellWord), ...flags].join(flags.length > 2 ? ' \\\n  ' : ' ');
  return missing.length === 0 ? line : `${line}\n# only through the API: ${missing.join(', ')}`;
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
    case 'choice':
    case 'number':
    case 'text':
      return [`${name} ${shellWord(String(value))}`];
  }
}

function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function pythonText(input: Input): string {
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
