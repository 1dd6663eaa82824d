/**
 * Files with what their Markdown must contain, and must not. A list has blocks of lines:
 *
 * - `file: report.odt`, a name for {@link wrongFileFacts} to read
 * - `+ | North | 7.5 |`: this Markdown must be there; `\n` is a line end. At most {@link gapMax} characters stand at each `…`
 * - `- SECRET`: must not be there
 *
 * Escapes of Markdown, the sign after a number of a list, and the width of spaces within a line do not count.
 */
import { fileKindOf } from '../../src/core/bytes/file-kind.ts';
import { readDocument } from '../../src/documents/read-document.ts';
import { convertDocument } from '../../src/extract/convert-document.ts';

export interface FactFile {
  readonly name: string;
  /** With their sign. */
  readonly facts: readonly string[];
}

const gapMax = 80;

export function readFactFiles(list: string): readonly FactFile[] {
  const files = list.split(/^file: /m).slice(1);
  return files.map((block) => {
    const [name = '', ...lines] = block.split('\n');
    const facts = lines.filter((line) => line !== '');
    const wrong = facts.find((line) => !/^[+-] ./.test(line));
    if (wrong !== undefined) throw new Error(`A line is none of file, + and -: ${wrong}`);
    return { name, facts };
  });
}

/** Returns the facts that the Markdown of the file does not hold to: all, if there is none. */
export async function wrongFileFacts({ name, facts }: FactFile, bytes: Uint8Array): Promise<readonly string[]> {
  const shown = await markdownOf(name, bytes);
  return facts.filter((fact) => shown === undefined || holds(shown, fact.slice(2)) !== fact.startsWith('+'));
}

export async function markdownOf(name: string, bytes: Uint8Array): Promise<string | undefined> {
  const kind = fileKindOf('application/octet-stream', `/${name}`);
  if (kind === undefined || kind === 'markdown') return undefined;
  const document = await readDocument(kind, { bytes, contentType: '' });
  return document && plain(convertDocument(document, { url: 'http://site.example/', outputFormat: 'markdown' }).text);
}

function holds(shown: string, fact: string): boolean {
  const [first = '', ...others] = fact.split('…').map((part) => plain(part.replaceAll(String.raw`\n`, '\n')));
  for (let at = shown.indexOf(first); at !== -1; at = shown.indexOf(first, at + 1)) {
    if (follow(shown, at + first.length, others)) return true;
  }
  return false;
}

function follow(shown: string, start: number, parts: readonly string[]): boolean {
  let end = start;
  for (const part of parts) {
    const at = shown.indexOf(part.trim(), end);
    if (at === -1 || at - end > gapMax) return false;
    end = at + part.trim().length;
  }
  return true;
}

function plain(markdown: string): string {
  return markdown
    .replaceAll(/\\(?=[!-/:-@[-`{-~])/g, '')
    .replaceAll(/^( *\d+)\) /gm, '$1. ')
    .replaceAll('\u00a0', ' ')
    .replaceAll(/(?<=\S) +/g, ' ')
    .replaceAll(/ +$/gm, '');
}
