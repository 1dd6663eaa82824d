import { expect, test } from 'vitest';
import { z } from 'zod';
import { fieldsOf } from '../../core/extract.ts';
import { extractInput } from '../../options/extract-input.ts';
import { extractSchemas } from './extract-schemas.ts';

const input = z.strictObject({ extract: extractInput() });

/** Messages about fields that the API does not know. */
function unknownIn(extract: unknown): readonly string[] {
  const { error } = input.safeParse({ extract });
  return (error?.issues ?? [])
    .filter(({ message }) => /There is no such field|not read/.test(message))
    .map(({ path }) => path.join('.'));
}

type Properties = Readonly<Record<string, { readonly type?: string; readonly enum?: readonly unknown[] }>>;
const propertiesOf = (name: string): Properties => extractSchemas[name]?.['properties'] as Properties;

test.each([
  ['Extract', (name: string, value: unknown) => ({ fields: { a: { css: 'b' } }, model: true, [name]: value })],
  ['Place', (name: string, value: unknown) => ({ fields: { a: { css: 'b', [name]: value } } })],
  ['RecordSchema', (name: string, value: unknown) => ({ schema: { properties: { a: { [name]: value } } } })],
])('openapi: the API knows each property of %s, and no other', (schema, extract) => {
  const names = Object.keys(propertiesOf(schema));
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) expect(unknownIn(extract(name, null)), name).toEqual([]);
  expect(unknownIn(extract(schema === 'RecordSchema' ? 'oneOf' : 'colour', 1))).toHaveLength(1);
});

const money = { type: 'object', properties: { amount: { type: 'number' }, currency: { type: 'string' } } };
const optional = { anyOf: [{ type: 'string' }, { type: 'null' }], default: null, title: 'Maker' };

test.each<readonly [string, object]>([
  ['pydantic', { $defs: { Price: money }, properties: { a: { $ref: '#/$defs/Price' }, b: optional }, title: 'Item' }],
  [
    'older pydantic',
    { definitions: { P: money }, properties: { a: { allOf: [{ $ref: '#/definitions/P' }] }, b: optional } },
  ],
  [
    'zod',
    {
      $schema: 'x',
      properties: { a: money, b: { type: 'string', minLength: 1 } },
      additionalProperties: {},
    },
  ],
  [
    'a reference as a whole',
    { $ref: '#/definitions/Item', definitions: { Item: { properties: { a: money, b: {} } } } },
  ],
])('extract: takes a schema as %s writes it', (_, schema) => {
  const { data } = input.safeParse({ extract: { schema } });
  const fields = fieldsOf(data!.extract!);
  expect(fields.map(({ name, type }) => [name, type])).toEqual([
    ['a', 'price'],
    ['b', 'text'],
  ]);
});

test.each([
  ['another document', { properties: { a: { $ref: 'https://example.com/a.json' } } }],
  [
    'itself',
    { $defs: { A: { properties: { a: { $ref: '#/$defs/A' }, b: { $ref: '#/$defs/A' } } } }, $ref: '#/$defs/A' },
  ],
])('extract: refuses a schema that refers to %s', (_, schema) => {
  expect(input.safeParse({ extract: { schema } }).success).toBe(false);
});

test('openapi: the API takes each type of a place, and no other', () => {
  const { enum: types = [] } = propertiesOf('Place')['type'] ?? {};
  const taken = (type: unknown): boolean => {
    const place = { css: 'b', type, ...(type === 'boolean' && { map: { yes: true } }) };
    return input.safeParse({ extract: { fields: { a: place } } }).success;
  };
  expect(types.filter((type) => !taken(type))).toEqual([]);
  expect(types).toHaveLength(9);
  expect(taken('money')).toBe(false);
});
