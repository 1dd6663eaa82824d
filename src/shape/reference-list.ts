/** Collects the link definitions for the end of a text. */
export class ReferenceList {
  readonly #text: string;
  readonly #labels = new Map<string, string>();
  #prefix: string | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the same label for the same target. */
  labelFor(target: string): string {
    let label = this.#labels.get(target);
    if (label === undefined) {
      this.#prefix ??= freePrefix(this.#text);
      label = `${this.#prefix}${this.#labels.size + 1}`;
      this.#labels.set(target, label);
    }
    return label;
  }

  /** Returns '' if there are no definitions. */
  markdown(): string {
    return Array.from(this.#labels, ([target, label]) => `[${label}]: ${target}`).join('\n');
  }
}

/** Returns a prefix that the text does not use: its own `[1]`, such as a citation, must not become a link. */
function freePrefix(text: string): string {
  const used = new Set<string>();
  for (const [, prefix = ''] of text.matchAll(/\[\s*([a-z-]{0,20})\d+\s*\]/gi)) used.add(prefix.toLowerCase());
  for (const prefix of ['', 'link-', 'url-', 'ref-']) if (!used.has(prefix)) return prefix;
  let prefix = 'link-';
  while (used.has(prefix)) prefix += 'x-';
  return prefix;
}
