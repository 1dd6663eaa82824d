/** Reads the candidates of a `srcset`, as the HTML standard does ("Parsing a srcset attribute"). */

export interface SrcsetCandidate {
  readonly address: string;
  /** Width in pixels or density; 1 if the page states neither. */
  readonly size: number;
}

/**
 * An address ends at white space, so it can contain commas; commas at its very end separate candidates. What follows
 * it ends at a comma outside brackets: `a.jpg 375w,b.jpg` names two addresses, `a.jpg,b.jpg 2x` names one. Linear.
 */
export function srcsetCandidates(srcset: string): SrcsetCandidate[] {
  const candidates: SrcsetCandidate[] = [];
  let at = 0;
  for (;;) {
    while (at < srcset.length && (isSpace(srcset, at) || srcset[at] === ',')) at++;
    if (at === srcset.length) return candidates;
    const start = at;
    while (at < srcset.length && !isSpace(srcset, at)) at++;
    let end = at;
    while (srcset[end - 1] === ',') end--;
    const stated = at;
    if (end === at) at = endOfDescriptors(srcset, at);
    const descriptors = srcset.slice(stated, at).trim();
    if (areSizes.test(descriptors))
      candidates.push({ address: srcset.slice(start, end), size: Number.parseFloat(descriptors) || 1 });
  }
}

/** Other words mean that the address contains white space and is cut. A size without a unit is clear enough. */
const areSizes = /^(?:[\d.]+[whx]?(?:\s+|$))*$/;

/** Returns the position of the comma that ends the candidate, or the end of the text. */
function endOfDescriptors(srcset: string, from: number): number {
  let isInBrackets = false;
  for (let at = from; at < srcset.length; at++) {
    if (srcset[at] === '(') isInBrackets = true;
    else if (srcset[at] === ')') isInBrackets = false;
    else if (srcset[at] === ',' && !isInBrackets) return at;
  }
  return srcset.length;
}

/** ASCII white space of the HTML standard. */
function isSpace(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code === 0x20 || (code >= 0x09 && code <= 0x0d && code !== 0x0b);
}
