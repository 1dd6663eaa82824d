import { readXml, type XmlAttributes, type XmlHandler } from '../parts/read-xml.ts';

/** The last part of a namespace, and the prefix that all programs but a few use for it. */
const prefixes: readonly (readonly [namespace: RegExp, prefix: string])[] = [
  [/:xmlns:(office|text|table|style|drawing|presentation|meta|manifest):1\.0$/, ''],
  [/:xmlns:xsl-fo-compatible:1\.0$/, 'fo'],
  [/\/1999\/xlink$/, 'xlink'],
];

/** Streams XML of OpenDocument. Attributes have the usual prefixes, whatever the file calls its namespaces. */
export function readOdfXml(source: Uint8Array, handler: XmlHandler): void {
  const renamed = new Map<string, string>();
  let isRoot = true;
  readXml(source, {
    ...(handler.text && { text: (text: string) => handler.text?.(text) }),
    close: (name) => handler.close?.(name),
    open(name, attributes) {
      // Programs declare namespaces at the root.
      for (const [key, value] of isRoot ? Object.entries(attributes) : [])
        if (key.startsWith('xmlns:') && value !== undefined) learn(renamed, key.slice('xmlns:'.length), value);
      isRoot = false;
      handler.open?.(name, renamed.size === 0 ? attributes : withUsualPrefixes(attributes, renamed));
    },
  });
}

function learn(renamed: Map<string, string>, prefix: string, namespace: string): void {
  for (const [pattern, usual] of prefixes) {
    const found = pattern.exec(namespace);
    if (!found) continue;
    const name = usual === '' ? (found[1] ?? '').replace(/^drawing$/, 'draw') : usual;
    if (name !== prefix && renamed.size < 50) renamed.set(prefix, name);
  }
}

function withUsualPrefixes(attributes: XmlAttributes, renamed: ReadonlyMap<string, string>): XmlAttributes {
  return Object.fromEntries(
    Object.entries(attributes).map(([key, value]) => {
      const colon = key.indexOf(':');
      const usual = renamed.get(key.slice(0, colon));
      return [usual === undefined ? key : `${usual}${key.slice(colon)}`, value];
    }),
  );
}
