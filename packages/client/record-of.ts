// The type of the record of a page, from the `extract` of its job as it is written in the call.
import type { components } from './openapi.ts';

type Schemas = components['schemas'];

/** Literals in a call are read-only. */
type Frozen<Value> = Value extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : Value extends object
    ? { readonly [Name in keyof Value]: Frozen<Value[Name]> }
    : Value;

/** The option `extract`: which structured data is read from pages. */
export type Extract = Frozen<Schemas['Extract']>;
/** Where a value stands on a page. */
export type Place = Frozen<Schemas['Place']>;
/** The JSON Schema of a record. */
export type RecordSchema = Frozen<Schemas['RecordSchema']>;

export interface Price {
  readonly amount: number;
  readonly currency: string | null;
}

/** A record of which nothing is known. */
export type AnyRecord = Readonly<Record<string, unknown>>;

/** The record that pages get: every field, `null` where the page has none. What is not written out is `unknown`. */
export type RecordOf<Option> = [Option] extends [never]
  ? AnyRecord
  : Merged<PropertiesIn<Option>, FieldsIn<Option>> extends infer Fields
    ? keyof Fields extends never
      ? AnyRecord
      : string extends keyof Fields
        ? AnyRecord
        : Fields
    : never;

type PropertiesIn<Option> = Option extends { readonly schema: { readonly properties: infer Properties } }
  ? Properties
  : object;
type FieldsIn<Option> = Option extends { readonly fields: infer Fields } ? Fields : object;

/** `fields` win over `schema`; the schema says what a place does not. */
type Merged<Properties, Fields> = {
  readonly [Name in keyof Properties | keyof Fields]:
    | (Name extends keyof Fields
        ? Located<Fields[Name], Name extends keyof Properties ? Properties[Name] : unknown>
        : Name extends keyof Properties
          ? Declared<Properties[Name]>
          : never)
    | null;
};

/** Alternatives have one type. */
type Located<Given, Schema> = Given extends readonly (infer Alternative)[]
  ? One<Alternative, Schema>
  : One<Given, Schema>;

type One<Place, Schema> = Place extends { readonly list: true } ? readonly Item<Place, Schema>[] : Item<Place, Schema>;

type Item<Place, Schema> = Place extends { readonly fields: infer Fields }
  ? Merged<object, Fields>
  : Place extends { readonly type: infer Type }
    ? Typed<Type>
    : unknown extends Schema
      ? string
      : Declared<Schema>;

type Typed<Type> = string extends Type
  ? unknown
  : Type extends 'number' | 'integer'
    ? number
    : Type extends 'boolean'
      ? boolean
      : Type extends 'price'
        ? Price
        : string;

type Declared<Schema> = Schema extends { readonly anyOf: readonly (infer Choice)[] }
  ? Declared<Exclude<Choice, { readonly type: 'null' }>>
  : Schema extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : Schema extends { readonly items: infer Items }
      ? readonly Declared<Items>[]
      : Schema extends { readonly properties: infer Properties }
        ? 'amount' extends keyof Properties
          ? [keyof Properties] extends ['amount' | 'currency']
            ? Price
            : Merged<Properties, object>
          : Merged<Properties, object>
        : Schema extends { readonly type: infer Type }
          ? OfType<Type extends readonly (infer Each)[] ? Exclude<Each, 'null'> : Type>
          : string;

type OfType<Type> = Type extends 'array' ? readonly string[] : Type extends 'object' ? AnyRecord : Typed<Type>;
