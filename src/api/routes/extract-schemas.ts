// The option `extract` in the OpenAPI document. `src/options/extract-input.ts` validates it by hand; a test compares the two.
import { fieldTypes, usualCalls } from '../../core/extract.ts';

type Json = Readonly<Record<string, unknown>>;

/** The key that marks a schema that one of these replaces. */
export const marker = 'x-ref';

const place = { $ref: '#/components/schemas/Place' };
const fields: Json = {
  type: 'object',
  additionalProperties: { anyOf: [place, { type: 'array', items: place, minItems: 1, maxItems: 10 }] },
};
const record = { $ref: '#/components/schemas/RecordSchema' };
const scalar = [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: 'null' }];
const kinds = ['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'];
const calls = (about: string, usual: number): Json => ({
  type: 'integer',
  minimum: 1,
  maximum: 10_000,
  default: usual,
  description: `${about}, with \`model\`.`,
});

/** Schemas by their names in the document. */
export const extractSchemas: Readonly<Record<string, Json>> = {
  Extract: {
    type: 'object',
    description: 'Which structured data is read from pages (docs/extract.md). At most 64 KiB, 200 fields, 8 deep.',
    properties: {
      schema: {
        anyOf: [record, { type: 'null' }],
        description: 'Names and types of the fields of a record, which what a page declares, or a model, fills.',
      },
      fields: {
        ...fields,
        description:
          'Where values stand, by the name of the field: one place, or a list of alternatives of one `type`, of which the first with a value counts. These win over `schema`.',
      },
      declared: { type: 'boolean', default: true, description: 'Read what pages declare about their subject.' },
      declared_things: {
        type: 'boolean',
        default: false,
        description: 'List all declarations in the metadata, as `declaredThings`.',
      },
      when: {
        type: 'array',
        items: { type: 'string' },
        maxItems: 100,
        description: 'Globs of the pages that have a record.',
      },
      model: {
        type: 'boolean',
        default: false,
        description: 'A model is asked about a few pages of each template. Needs the permission `model`.',
      },
      private_to_model: {
        type: 'boolean',
        default: false,
        description: 'Pages that are fetched with headers or cookies of the job are shown to the model.',
      },
      calls_per_template: calls('The most pages of a template that a model is asked about', usualCalls.perTemplate),
      calls: calls('The most calls of the job, repeats included', usualCalls.perJob),
    },
  },
  Place: {
    type: 'object',
    description: 'Where a value stands on a page, and what it is.',
    properties: {
      css: { type: 'string', maxLength: 1_024, description: 'The first element that matches and holds something.' },
      label: {
        type: 'string',
        maxLength: 200,
        description: 'The text beside this text. With `css`, only inside those elements.',
      },
      attribute: { type: 'string', maxLength: 100, description: 'The value of this attribute.' },
      between: {
        type: 'array',
        items: { type: 'string', maxLength: 200 },
        minItems: 2,
        maxItems: 2,
        description: 'The part between two texts, one of which may be empty.',
      },
      list: {
        type: 'boolean',
        default: false,
        description: 'All matches. With `fields`: one object for each match of `css`.',
      },
      type: { type: 'string', enum: fieldTypes, default: 'text', description: 'What the value is.' },
      map: {
        type: 'object',
        additionalProperties: { anyOf: scalar },
        description: 'Values for texts of the page. A `boolean` needs it.',
      },
      fields: { ...fields, description: 'An object of further fields, searched inside the element.' },
    },
  },
  RecordSchema: {
    type: 'object',
    description:
      'The part of JSON Schema that names fields. References inside it are read, `pattern`, `oneOf`, `not` and the like refused.',
    properties: {
      type: {
        anyOf: [
          { type: 'string', enum: kinds },
          { type: 'array', items: { type: 'string', enum: kinds } },
        ],
        description: 'One type, or one and `null`.',
      },
      properties: { type: 'object', additionalProperties: record },
      items: record,
      enum: { type: 'array', items: { anyOf: scalar } },
      format: { type: 'string', description: '`date`, `date-time`, `uri`; others say nothing.' },
      required: {
        type: 'array',
        items: { type: 'string' },
        description: 'The finding `extract_incomplete` counts pages without them.',
      },
      anyOf: { type: 'array', items: record, description: 'One schema, and `{"type": "null"}`.' },
      description: { type: 'string', description: 'For the model.' },
      title: { type: 'string' },
      additionalProperties: { type: 'boolean' },
    },
  },
};

/** Puts these schemas in place of those that are marked with their names. */
export function withExtract(schemas: Record<string, unknown>, document: unknown): void {
  Object.assign(schemas, extractSchemas);
  replaceIn(document);
}

function replaceIn(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const schema = value as Record<string, unknown>;
  const { [marker]: name } = schema;
  if (typeof name === 'string') {
    const { description } = schema;
    for (const key of Object.keys(schema)) if (!key.startsWith('x-') || key === marker) delete schema[key];
    Object.assign(schema, name === 'fields' ? fields : refTo(name), description !== undefined && { description });
    return;
  }
  for (const child of Object.values(schema)) replaceIn(child);
}

function refTo(name: string): Json {
  const $ref = `#/components/schemas/${name.replace('?', '')}`;
  return name.endsWith('?') ? { anyOf: [{ $ref }, { type: 'null' }] } : { $ref };
}
