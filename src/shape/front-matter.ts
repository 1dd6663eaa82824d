/** The YAML that describes a Markdown file, before its text. */

export interface FrontMatterSplit {
  /** By lower-case name. Of a nested value only its `name` counts, such as that of an author. */
  readonly fields: ReadonlyMap<string, readonly string[]>;
  readonly body: string;
}

/**
 * Splits Markdown into front matter and text. Reads what such files have at the top level: plain, quoted and block
 * scalars, and lists of them. Linear in the text. Without a field it is no front matter, but a rule and text.
 */
export function splitFrontMatter(text: string): FrontMatterSplit {
  const none = { fields: new Map<string, readonly string[]>(), body: text };
  if (!/^---[ \t]*\n/.test(text)) return none;
  const end = /\n(?:---|\.\.\.)[ \t]*(?:\n|$)/.exec(text.slice(0, frontMatterMax));
  if (end === null) return none;
  const fields = fieldsOf(text.slice(text.indexOf('\n') + 1, end.index + 1).split('\n'));
  return fields.size === 0 ? none : { fields, body: text.slice(end.index + end[0].length) };
}

/** Characters. */
const frontMatterMax = 64 * 1024;

function fieldsOf(lines: readonly string[]): Map<string, readonly string[]> {
  const fields = new Map<string, readonly string[]>();
  for (let index = 0; index < lines.length; index++) {
    const [, name, written = ''] =
      /^["']?([A-Za-z][\w.:-]*?)["']?[ \t]*:(?:[ \t]+(.*))?$/.exec(lines[index] ?? '') ?? [];
    if (name === undefined) continue;
    const start = index + 1;
    while (index + 1 < lines.length && /^(?:[ \t]|-[ \t]|$)/.test(lines[index + 1] ?? '')) index++;
    const values = valuesOf(written.trim(), lines.slice(start, index + 1));
    if (!fields.has(name.toLowerCase())) fields.set(name.toLowerCase(), values);
  }
  return fields;
}

/** `written` stands on the line of the name, `lines` are those that belong to it. */
function valuesOf(written: string, lines: readonly string[]): readonly string[] {
  const more = lines.map((line) => line.trim()).filter((line) => line !== '');
  if (/^[|>][-+\d]*$/.test(written)) return [more.join(written.startsWith('|') ? '\n' : ' ')];
  if (written.startsWith('[')) {
    const items = [written, ...more]
      .join(' ')
      .replace(/^\[/, '')
      .replace(/\][^\]]*$/, '');
    return scalars(Array.from(items.matchAll(/"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^,"']+/g), ([item]) => item.trim()));
  }
  if (written !== '' && !written.startsWith('#')) return scalars([[written, ...more].join(' ')]);
  const named = more.map((line) => /^(?:-[ \t]+)?name:[ \t]+(.*)$/.exec(line)?.[1] ?? '').filter((name) => name !== '');
  if (named.length > 0) return scalars(named);
  return scalars(more.map((line) => /^-[ \t]+(.*)$/.exec(line)?.[1] ?? ''));
}

function scalars(written: readonly string[]): readonly string[] {
  return written.map((text) => scalar(text)).filter((text) => text !== '');
}

function scalar(written: string): string {
  const [, double, single] = /^(?:"((?:[^"\\]|\\.)*)"|'((?:[^']|'')*)')/.exec(written) ?? [];
  if (single !== undefined) return single.replaceAll("''", "'");
  if (double !== undefined)
    return double.replaceAll(/\\(.)/g, (_, character: string) => (character === 'n' ? '\n' : character));
  const text = written.replace(/(?:^|\s)#.*$/, '').trim();
  return /^(?:~|null|\{.*)$/.test(text) ? '' : text;
}
