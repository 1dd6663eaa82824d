// The columns of the formats that are tables: CSV, Parquet and SQLite.
import { type ExtractOption, type Field, fieldsOf } from '../core/extract.ts';
import type { PageJson } from '../page/decode.ts';

interface NumberColumn {
  readonly name: string;
  readonly type: 'integer';
  readonly of: (page: PageJson) => number | undefined;
}

/** Whole or not, of any size. */
interface RealColumn {
  readonly name: string;
  readonly type: 'real';
  readonly of: (page: PageJson) => number | undefined;
}

interface FlagColumn {
  readonly name: string;
  readonly type: 'flag';
  readonly of: (page: PageJson) => boolean | undefined;
}

interface TextColumn {
  readonly name: string;
  readonly type: 'text';
  /** Undefined values are possible. @default false */
  readonly isOptional?: boolean;
  /** Too long to compare or to count distinct values of. @default false */
  readonly isLong?: boolean;
  readonly of: (page: PageJson) => string | undefined;
}

interface JsonColumn {
  readonly name: string;
  readonly type: 'json';
  readonly of: (page: PageJson) => object;
}

export type Column = NumberColumn | RealColumn | FlagColumn | TextColumn | JsonColumn;

const metadataText = (name: string): TextColumn => ({
  name,
  type: 'text',
  isOptional: true,
  of: ({ meta }) => {
    const value = meta.meta[name];
    return typeof value === 'string' ? value : undefined;
  },
});

const metadataNumber = (name: string): NumberColumn => ({
  name,
  type: 'integer',
  of: ({ meta }) => {
    const value = meta.meta[name];
    return typeof value === 'number' && Number.isInteger(value) && Math.abs(value) < 2 ** 31 ? value : undefined;
  },
});

/** The columns of every job. `page` is the key, and never missing. */
const columns: readonly Column[] = [
  { name: 'page', type: 'integer', of: ({ meta }) => meta.page },
  { name: 'url', type: 'text', of: ({ meta }) => meta.url },
  { name: 'fetchedUrl', type: 'text', of: ({ meta }) => meta.fetchedUrl },
  { name: 'title', type: 'text', of: ({ meta }) => meta.meta.title },
  { name: 'description', type: 'text', of: ({ meta }) => meta.meta.description },
  metadataText('language'),
  metadataText('author'),
  metadataText('publishedTime'),
  metadataText('modifiedTime'),
  metadataText('contentType'),
  metadataNumber('statusCode'),
  metadataNumber('wordCount'),
  metadataText('change'),
  { name: 'text', type: 'text', isLong: true, of: ({ text }) => text },
  { name: 'meta', type: 'json', of: ({ meta }) => meta.meta },
];

/** In the order of the file: the columns of every job, and one for each field that the job extracts. */
export function columnsOf({ extract }: { readonly extract: ExtractOption | null }): readonly Column[] {
  return extract === null ? columns : distinct([...columns, ...fieldsOf(extract).flatMap(fieldColumns)]);
}

/** A price `p` and a field `p_amount` have one name, and no table has two columns of a name in any case. */
function distinct(all: readonly Column[]): readonly Column[] {
  const taken = new Set<string>();
  return all.map((column) => {
    let { name } = column;
    for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${column.name}_${n}`;
    taken.add(name.toLowerCase());
    return { ...column, name };
  });
}

function fieldColumns(field: Field): Column[] {
  const name = `extracted_${field.name}`;
  const valueOf = ({ extracted }: PageJson): unknown => extracted?.[field.name] ?? undefined;
  const member = (page: PageJson, key: string): unknown => {
    const value = valueOf(page);
    return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[key] : undefined;
  };
  if (field.isList || field.fields)
    return [{ name, type: 'text', isOptional: true, isLong: true, of: (page) => asText(valueOf(page)) }];
  switch (field.type) {
    case 'number':
    case 'integer':
      return [{ name, type: 'real', of: (page) => asNumber(valueOf(page)) }];
    case 'boolean':
      return [{ name, type: 'flag', of: (page) => asFlag(valueOf(page)) }];
    case 'price':
      return [
        { name: `${name}_amount`, type: 'real', of: (page) => asNumber(member(page, 'amount')) },
        { name: `${name}_currency`, type: 'text', isOptional: true, of: (page) => asText(member(page, 'currency')) },
      ];
    case 'text':
    case 'markdown':
    case 'html':
    case 'date':
    case 'url':
      return [{ name, type: 'text', isOptional: true, isLong: true, of: (page) => asText(valueOf(page)) }];
  }
}

function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function asFlag(value: unknown): boolean | undefined {
  return typeof value === 'boolean' ? value : undefined;
}

/** Lists and objects as JSON. */
function asText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
