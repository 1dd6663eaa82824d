// A page with only what a place can be made of: no script, style or handler reaches the parser of the browser.
//
// The page can end early: a browser's time grows with the tags times the elements that are open, so 50,000 unclosed ones
// and as many paragraphs take a minute.

const tagsMax = 100_000;
const depthMax = 512;
/** They have no end, or another one ends them. */
const unclosed =
  /^(?:area|br|col|embed|hr|img|input|link|meta|param|source|track|wbr|p|li|t[dhr]|d[dt]|option|thead|tbody|tfoot|colgroup|body|html|head)$/;
/** They go with their text. */
const raw = /^(?:script|style|textarea|title|xmp|iframe|noembed|noframes|plaintext)$/;
const kept =
  /^(?:class|id|item\w+|property|name|rel|data-[\w-]+|href|src|datetime|content|title|alt|value|colspan|lang)$/i;

export interface PlainHtml {
  readonly html: string;
  readonly isCut: boolean;
}

export function plainHtml(html: string): PlainHtml {
  const out: string[] = [];
  const tag = /<(\/?)([a-z][^\s/>]*)/iy;
  const attribute = /[\s/]*([^\s/>=]+)(?:\s*=\s*(?:"([^"]*)(?:"|$)|'([^']*)(?:'|$)|([^\s>]*)))?/y;
  let [at, tags, depth] = [0, 0, 0];
  const skip = (end: string, { length } = ''): void => {
    const found = html.indexOf(end, at);
    at = found === -1 ? html.length : found + length;
  };
  while (at < html.length) {
    const from = at;
    skip('<');
    out.push(html.slice(from, at));
    tag.lastIndex = at;
    const [start = '', slash = '', given = ''] = tag.exec(html) ?? [];
    const name = given.toLowerCase();
    if (name === '') {
      if (/^<[!?/]/.test(html.slice(at, at + 2))) skip(html.startsWith('<!--', at) ? '-->' : '>', '>');
      else if (at < html.length) {
        out.push('&lt;');
        at++;
      }
      continue;
    }
    at += start.length;
    const attributes: string[] = [];
    for (attribute.lastIndex = at; ;) {
      const found = attribute.exec(html);
      if (!found) break;
      at = attribute.lastIndex;
      const [, key = '', ...values] = found;
      if (kept.test(key)) attributes.push(` ${key}="${values.join('').replaceAll('"', '&quot;')}"`);
    }
    skip('>', '>');
    if (raw.test(name)) {
      if (slash === '') {
        // Its name may be written otherwise at its end.
        const end = new RegExp(`</${name}`, 'gi');
        end.lastIndex = at;
        at = end.exec(html)?.index ?? html.length;
      }
      continue;
    }
    if (name === 'base') continue;
    tags++;
    if (!unclosed.test(name)) depth = Math.max(0, depth + (slash === '' ? 1 : -1));
    if (tags > tagsMax || depth > depthMax) return { html: out.join(''), isCut: true };
    out.push(`<${slash}${name}${attributes.join('')}>`);
  }
  return { html: out.join(''), isCut: false };
}
