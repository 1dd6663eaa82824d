// The common base of the Office formats (ECMA-376, part 2): relationships between parts, and core properties.
import type { DocumentMetadata } from '../../core/document.ts';
import { joinedTexts, readTexts, readXml } from '../parts/read-xml.ts';

export interface Relationship {
  readonly id: string;
  /** Last path segment of the type: `hyperlink`, `slide`. */
  readonly type: string;
  /** Name of a part, or a URL if the target is external. */
  readonly target: string;
}

/** Name of the part that holds the relationships of `part`. */
export function relationshipsName(part: string): string {
  const slash = part.lastIndexOf('/') + 1;
  return `${part.slice(0, slash)}_rels/${part.slice(slash)}.rels`;
}

export function readRelationships(xml: Uint8Array | undefined, part: string): ReadonlyMap<string, Relationship> {
  const found = new Map<string, Relationship>();
  readXml(xml, {
    open(name, attributes) {
      const { Id: id, Type: type = '', Target: target = '', TargetMode: mode } = attributes;
      if (name !== 'Relationship' || id === undefined) return;
      const isOutside = mode === 'External';
      found.set(id, {
        id,
        type: type.slice(type.lastIndexOf('/') + 1),
        target: isOutside ? target : resolved(target, part),
      });
    },
  });
  return found;
}

/** Resolves a target relative to `part`. */
export function resolved(target: string, part: string): string {
  const steps = target.startsWith('/') ? [] : part.split('/').slice(0, -1);
  for (const step of target.split('/').slice(0, 100)) {
    if (step === '..') steps.pop();
    else if (step !== '.' && step !== '') steps.push(step);
  }
  return steps.join('/');
}

export const corePropertiesName = 'docProps/core.xml';

const propertyFields = new Map([
  ['title', 'title'],
  ['creator', 'author'],
  ['description', 'description'],
  ['language', 'language'],
  ['created', 'publishedTime'],
  ['modified', 'modifiedTime'],
  ['keywords', 'keywords'],
] as const);

export function readCoreProperties(xml: Uint8Array | undefined): DocumentMetadata {
  const { keywords, ...others } = joinedTexts(readTexts(xml, propertyFields));
  return { ...others, ...(keywords !== undefined && { keywords: keywords.split(/[,;]/) }) };
}
