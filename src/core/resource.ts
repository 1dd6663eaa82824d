// The form of a resource: one row a column. The table in the database, the type in memory and what the API shows are
// derived from the rows.
import type { z } from 'zod';

/** Declarations do not import it: threads of the store read them too, and need no schemas. */
export type Builder = typeof z;

/** A field that can be absent. */
export function maybe<Schema extends z.ZodType>(schema: Schema, about: string): z.ZodOptional<Schema> {
  return schema.optional().describe(about);
}

export interface Column {
  /** In the database, as `storage/shared/schema.ts` writes types; `JSON` is a text there. Absent: it is not stored. */
  readonly sql?: string;
  /** What it is in memory. Absent: only statements name it. */
  readonly type?: (z: Builder) => z.ZodType;
  /** How the API shows it. Absent: it is shown nowhere. */
  readonly shown?: Shown;
  /** It must never be shown. */
  readonly isSecret?: true;
}

interface Shown {
  /** For the document of the API. */
  readonly about?: string;
  /** In its examples. */
  readonly example: unknown;
}

export type Columns = Readonly<Record<string, Column>>;

type Typed<Schema extends z.ZodType = z.ZodType> = { readonly type: (z: Builder) => Schema };
/** The schema of a column. */
export type SchemaOf<One extends Column> = One extends Typed<infer Schema> ? Schema : never;
export type ShownName<All extends Columns> = {
  [Name in keyof All]: All[Name] extends Typed & { readonly shown: Shown } ? Name : never;
}[keyof All];

/** What is stored of a resource, in memory. */
export type Stored<All extends Columns> = {
  -readonly [Name in keyof All as All[Name] extends Typed & { readonly sql: string } ? Name : never]: z.output<
    SchemaOf<All[Name]>
  >;
};

export type View<All extends Columns> = { [Name in ShownName<All>]: z.output<SchemaOf<All[Name]>> };
