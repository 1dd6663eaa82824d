/** The option `extract`: which structured data a job reads from its pages. Stored as the client sends it. */

export const fieldTypes = ['text', 'markdown', 'html', 'number', 'integer', 'boolean', 'date', 'url', 'price'] as const;
export type FieldType = (typeof fieldTypes)[number];

export type Scalar = string | number | boolean | null;

/** Where a value stands on a page, and what it is. */
export interface Locator {
  readonly css?: string;
  /** The value stands beside this text. */
  readonly label?: string;
  readonly attribute?: string;
  /** The value stands between these texts; an empty one is the beginning or the end. */
  readonly between?: readonly [string, string];
  /** All matches, not only the first; with `fields` one object for each. */
  readonly list?: boolean;
  readonly type?: FieldType;
  /** Values for texts of the page. */
  readonly map?: Readonly<Record<string, Scalar>>;
  readonly fields?: LocatedFields;
}

/** The first alternative with a value counts. */
export type LocatedFields = Readonly<Record<string, Locator | readonly Locator[]>>;

/** The subset of JSON Schema that names fields. */
export interface FieldSchema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, FieldSchema>>;
  readonly items?: FieldSchema;
  readonly enum?: readonly Scalar[];
  readonly format?: string;
  readonly required?: readonly string[];
  readonly anyOf?: readonly FieldSchema[];
}

export interface ExtractOption {
  readonly schema: FieldSchema | null;
  readonly fields: LocatedFields;
  readonly declared: boolean;
  readonly declared_things: boolean;
  readonly when: readonly string[];
  /** A model is asked about a few pages of each template, and the rest is read as it taught. */
  readonly model?: boolean;
  /** Pages fetched with the job's headers or cookies are shown to the model. */
  readonly private_to_model?: boolean;
  /** Calls of the model, repeats included. */
  readonly calls_per_template?: number;
  readonly calls?: number;
}

export const usualCalls = { perTemplate: 30, perJob: 200 } as const;

/** A field of a record, whatever says where it stands. */
export interface Field {
  readonly name: string;
  readonly type: FieldType;
  readonly isList: boolean;
  readonly isRequired: boolean;
  /** Set for objects, and for lists of objects. */
  readonly fields: readonly Field[] | undefined;
  readonly alternatives: readonly Locator[];
  readonly allowed: readonly Scalar[] | undefined;
  /** The schema names it, so that what the page declares can fill it. */
  readonly isInSchema: boolean;
  /** The alternatives were learned. @default false */
  readonly isLearned?: boolean;
  /** What the page declares comes before the alternatives. @default false */
  readonly declaredFirst?: boolean;
}

/** Returns the fields of a record: those of the schema in its order, then those that only `fields` names. */
export function fieldsOf({ schema, fields }: Pick<ExtractOption, 'schema' | 'fields'>): readonly Field[] {
  const named = schema === null ? [] : schemaFields(schema, fields);
  const known = new Set(named.map(({ name }) => name));
  return [...named, ...locatedFields(fields).filter(({ name }) => !known.has(name))];
}

/** Fields of a record, and those inside them, by paths such as `reviews.by`. */
export function fieldPaths(fields: readonly Field[], inside = ''): readonly (readonly [path: string, field: Field])[] {
  return fields.flatMap((field) => {
    const path = `${inside}${field.name}`;
    return [[path, field] as const, ...fieldPaths(field.fields ?? [], `${path}.`)];
  });
}

function locatedFields(fields: LocatedFields): Field[] {
  return Object.entries(fields).map(([name, given]) => locatedField(name, given));
}

function alternativesOf(given: Locator | readonly Locator[]): readonly Locator[] {
  return Array.isArray(given) ? (given as readonly Locator[]) : [given as Locator];
}

function locatedField(name: string, given: Locator | readonly Locator[]): Field {
  const alternatives = alternativesOf(given);
  const [first] = alternatives;
  return {
    name,
    type: first?.type ?? 'text',
    isList: first?.list === true,
    isRequired: false,
    fields: first?.fields === undefined ? undefined : locatedFields(first.fields),
    alternatives,
    allowed: undefined,
    isInSchema: false,
  };
}

function schemaFields(schema: FieldSchema, located: LocatedFields): Field[] {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).map(([name, given]) => {
    const field: Field = Object.assign(schemaField(name, given), { isRequired: required.has(name) });
    const locators = Object.hasOwn(located, name) ? located[name] : undefined;
    if (locators === undefined) return field;
    const pointed = locatedField(name, locators);
    const hasType = pointed.alternatives[0]?.type !== undefined || pointed.fields !== undefined;
    return Object.assign(field, hasType && { type: pointed.type, fields: pointed.fields }, {
      isList: pointed.isList || (field.isList && field.fields === undefined),
      alternatives: pointed.alternatives,
    });
  });
}

function schemaField(name: string, given: FieldSchema): Field {
  const schema = withoutNull(given);
  const kinds = kindsOf(schema);
  const usual = { name, isRequired: false, alternatives: [], allowed: schema.enum, isInSchema: true } as const;
  if (kinds.includes('array') || schema.items !== undefined)
    return { ...schemaField(name, schema.items ?? {}), isList: true };
  const properties = schema.properties && Object.keys(schema.properties);
  const isPrice =
    properties?.includes('amount') === true && properties.every((key) => /^(?:amount|currency)$/.test(key));
  return {
    ...usual,
    type: isPrice ? 'price' : typeOf(kinds, schema.format),
    isList: false,
    fields: properties === undefined || isPrice ? undefined : schemaFields(schema, {}),
  };
}

function typeOf(kinds: readonly string[], format: string | undefined): FieldType {
  if (kinds.includes('integer')) return 'integer';
  if (kinds.includes('number')) return 'number';
  if (kinds.includes('boolean')) return 'boolean';
  if (format === 'date' || format === 'date-time') return 'date';
  return format === 'uri' || format === 'url' ? 'url' : 'text';
}

function kindsOf({ type }: FieldSchema): readonly string[] {
  if (type === undefined) return [];
  return typeof type === 'string' ? [type] : type;
}

/** `{"anyOf": [..., {"type": "null"}]}` is how some libraries write that a field can be missing. */
function withoutNull(schema: FieldSchema): FieldSchema {
  const [only] = schema.anyOf?.filter((one) => one.type !== 'null') ?? [];
  return only ?? schema;
}
