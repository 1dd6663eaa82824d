// The columns of the formats that are tables: CSV, Parquet and SQLite.
import type { PageJson } from '../page/decode.ts';

interface NumberColumn {
  readonly name: string;
  readonly type: 'integer';
  readonly of: (page: PageJson) => number | undefined;
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

export type Column = NumberColumn | TextColumn | JsonColumn;

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

/** In the order of the file. `page` is the key, and never missing. */
export const columns: readonly Column[] = [
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
  { name: 'text', type: 'text', isLong: true, of: ({ text }) => text },
  { name: 'meta', type: 'json', of: ({ meta }) => meta.meta },
];
