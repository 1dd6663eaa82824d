/** A style with what is read of it, or of those that it is based on. */
const basedOnMax = 10;

/** The style and those that it is based on. A file can base a style on itself. */
export function styleChain<Style>(
  styles: ReadonlyMap<string, Style>,
  id: string,
  basedOn: (style: Style) => string | undefined,
): readonly Style[] {
  const chain: Style[] = [];
  let style = styles.get(id);
  while (style && chain.length < basedOnMax) {
    chain.push(style);
    style = styles.get(basedOn(style) ?? '');
  }
  return chain;
}
