import { readXml, type XmlAttributes, type XmlHandler, type XmlReading } from '../parts/read-xml.ts';

/** The last part of a namespace, and the prefix that all programs but a few use for it. */
const prefixes: readonly (readonly [namespace: RegExp, prefix: string])[] = [
  [/:xmlns:(office|text|table|style|drawing|presentation|meta|manifest):1\.0$/, ''],
  [/:xmlns:xsl-fo-compatible:1\.0$/, 'fo'],
  [/\/1999\/xlink$/, 'xlink'],
];

/** Attributes of OpenDocument have the usual prefixes, whatever the file calls its namespaces. */
export function odfReading(): XmlReading {
  const renamed = new Map<string, string>();
  let isRoot = true;
  return {
    attributesOf(attributes) {
      // Programs declare namespaces at the root.
      for (const [key, value] of isRoot ? Object.entries(attributes) : [])
        if (key.startsWith('xmlns:') && value !== undefined) learn(renamed, key.slice('xmlns:'.length), value);
      isRoot = false;
      return renamed.size === 0 ? attributes : withUsualPrefixes(attributes, renamed);
    },
  };
}

/** Streams XML of OpenDocument. */
export function readOdfXml(source: Uint8Array | undefined, handler: XmlHandler): void {
  readXml(source, handler, odfReading());
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
