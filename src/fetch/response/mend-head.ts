/**
 * Corrects a response head (latin1, status line to empty line) for the strict parser, where browsers and curl accept
 * it:
 *
 * - lines that end with LF alone end with CR LF;
 * - a line that begins with white space continues the one before it (RFC 9112, 5.2);
 * - white space before the colon is dropped, and control characters within a value are spaces (RFC 9110, 5.5);
 * - a line without a valid name is dropped;
 * - repeated `Content-Length` with equal values is kept once (RFC 9110, 8.6).
 *
 * A wrong status line and contradictory lengths stay, for the parser to refuse. So does a head with a line of markup:
 * its empty line is missing, and dropping lines would drop text of the page.
 *
 * Takes linear time. Returns the same string if nothing is wrong.
 */
export function mendHead(head: string): string {
  if (wellFormed.test(head) && !severalLengths.test(head)) return head;
  const [statusLine = '', ...lines] = head.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  const kept: string[] = [];
  let isKept = false;
  for (const line of lines) {
    if (line.startsWith('<')) return head;
    if (line.startsWith(' ') || line.startsWith('\t')) {
      if (isKept) kept.push(`${kept.pop() ?? ''} ${withoutControls(line.trim())}`);
      continue;
    }
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(0, colon)).trimEnd();
    isKept = token.test(name);
    if (isKept) kept.push(`${name}:${withoutControls(line.slice(colon + 1))}`);
  }
  return [statusLine, ...withLengthsOnce(kept), '', ''].join('\r\n');
}

/** Keeps lengths that differ, each on its own line. */
function withLengthsOnce(lines: readonly string[]): readonly string[] {
  const isLength = (line: string): boolean => lengthLine.test(line);
  const values = lines.filter(isLength).flatMap((line) => line.slice(line.indexOf(':') + 1).split(','));
  const lengths = new Set(values.map((value) => value.trim()));
  return [...lines.filter((line) => !isLength(line)), ...[...lengths].map((length) => `Content-Length: ${length}`)];
}

function withoutControls(value: string): string {
  return value.replace(controls, ' ');
}

const wellFormed = /^[^\r\n]*\r\n(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*\r\n)*\r\n$/;
const severalLengths = /\ncontent-length:(?:[^\n]*,|[^]*\ncontent-length:)/i;
const lengthLine = /^content-length:/i;
const token = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const controls = /[^\t\x20-\x7e\x80-\xff]/g;
