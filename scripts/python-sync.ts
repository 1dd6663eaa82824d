// The Python client without `async`, from the one with it.

const replacements: readonly (readonly [RegExp, string])[] = [
  [/^"""The client for `asyncio`.*"""$/m, '"""The client. Written by `npm run docs` from `aio.py`. Do not edit."""'],
  [/\basync (?=def|for|with)/g, ''],
  [/\bawait /g, ''],
  [/\bAsync(?=Hayrake|Transport|Iterator)/g, ''],
  [/\b_aio_transport\b/g, '_transport'],
  [/\b__a(?=enter__|exit__)/g, '__'],
  [/\baclose\b/g, 'close'],
];

export function syncPython(source: string): string {
  let text = source;
  for (const [pattern, replacement] of replacements) text = text.replace(pattern, replacement);
  const rest = /\b(async|await|asyncio|Async\w*)\b/.exec(text);
  if (rest !== null) throw new Error(`clients/python/hayrake/aio.py has \`${rest[0]}\`, which has no counterpart.`);
  return text;
}
