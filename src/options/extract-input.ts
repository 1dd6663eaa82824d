// The option `extract` in a request. Validated by hand: a client gets each mistake at its field.
import { grouped } from '../core/grouped.ts';
import { compile } from 'css-select';
import { z } from 'zod';
import { type ExtractOption, fieldsOf, fieldTypes, usualCalls } from '../core/extract.ts';
import { globProblem } from '../url/glob.ts';
import { isEmpty } from './schemas.ts';

const bytesMax = 64 * 1024;
const fieldsMax = 200;
const depthMax = 8;
const globsMax = 100;
const alternativesMax = 10;
const callsMax = 10_000;
const selectorLengthMax = 1_024;
const textLengthMax = 200;
const mapEntriesMax = 100;
/** Parts of a schema after its references are resolved. */
const schemasMax = 2_000;

type Path = readonly (string | number)[];
type Json = Readonly<Record<string, unknown>>;

const example = 'Give an object such as {"fields": {"price": {"css": ".price", "type": "price"}}}.';
const noSuchField = 'There is no such field.';

/** Null if the job extracts nothing. An empty value means that. */
export function extractInput() {
  return z
    .unknown()
    .transform((given, context): ExtractOption | null => {
      if (isEmpty(given)) return null;
      const check = new Check();
      const value = check.option(given);
      for (const { path, message } of check.problems)
        context.issues.push({ code: 'custom', path: [...path], message, input: given });
      return check.problems.length > 0 ? z.NEVER : value;
    })
    .default(null);
}

/** The stored value: that of `extract`, or the schema of `extract_object`. */
export function extractOf(input: {
  readonly extract: ExtractOption | null;
  readonly extract_object?: unknown;
}): ExtractOption | null {
  const { extract, extract_object: schema } = input;
  return extract ?? (isEmpty(schema) ? null : new Check().option({ schema }));
}

/** What is wrong with a schema in `extract_object`, in one sentence that names the place. */
export function problemOfSchema(schema: unknown): string | undefined {
  const check = new Check();
  check.option({ schema });
  const [first] = check.problems;
  return first && `\`${['extract_object', ...first.path.slice(1)].join('.')}\`: ${first.message}`;
}

class Check {
  readonly problems: { readonly path: Path; readonly message: string }[] = [];
  #fields = 0;
  #schemas = 0;

  option(given: unknown): ExtractOption {
    const { schema, fields, declared, declared_things, when, ...others } = isObject(given)
      ? given
      : this.#none(example);
    const { model: asks, private_to_model, calls_per_template, calls, ...rest } = others;
    const model = this.#flag(asks, ['model'], false);
    this.#unknown(model ? rest : { private_to_model, calls_per_template, calls, ...rest }, []);
    const option = {
      schema: isEmpty(schema) ? null : (this.#resolved(schema, schema, 0) as ExtractOption['schema']),
      fields: isEmpty(fields) ? {} : (fields as ExtractOption['fields']),
      declared: this.#flag(declared, ['declared'], true),
      declared_things: this.#flag(declared_things, ['declared_things'], false),
      when: this.#globs(when),
      ...(model && {
        model,
        private_to_model: this.#flag(private_to_model, ['private_to_model'], false),
        calls_per_template: this.#calls(calls_per_template, 'calls_per_template', usualCalls.perTemplate),
        calls: this.#calls(calls, 'calls', usualCalls.perJob),
      }),
    };
    if (this.problems.length > 0) return option;
    if (bytesOf(given) > bytesMax) this.#say([], 'Give at most 64 KiB.');
    else {
      if (option.schema !== null) this.#schema(option.schema, ['schema'], 1, true);
      this.#located(option.fields, ['fields'], 1);
    }
    if (model && this.problems.length === 0) this.#learnable(option);
    if (option.schema === null && Object.keys(option.fields).length === 0 && !option.declared_things)
      this.#say([], 'Give `fields`, a `schema`, or `declared_things: true`.');
    return option;
  }

  #say(path: Path, message: string): void {
    this.problems.push({ path, message });
  }

  #none(message: string): Json {
    this.#say([], message);
    return {};
  }

  #calls(given: unknown, name: string, usual: number): number {
    if (given === undefined || given === null) return usual;
    if (Number.isInteger(given) && (given as number) >= 1 && (given as number) <= callsMax) return given as number;
    this.#say([name], `Give a whole number from 1 to ${grouped(callsMax)}.`);
    return usual;
  }

  /** The model is asked for single values and lists of values. */
  #learnable(option: ExtractOption): void {
    const asked = fieldsOf(option).filter(({ isInSchema, alternatives }) => isInSchema && alternatives.length === 0);
    if (asked.length === 0)
      this.#say(
        ['schema'],
        'Give a `schema` with fields that `fields` does not name: those are what the model is for.',
      );
    for (const { name, fields } of asked)
      if (fields)
        this.#say(
          ['schema', 'properties', name],
          'A model is not asked for objects. Point at this field with `fields`, or give single values and lists of them.',
        );
  }

  /** Fields for a language model have no effect without one. */
  #unknown(rest: Json, path: Path): void {
    for (const [name, value] of Object.entries(rest)) {
      if (value === undefined) continue;
      const needsModel = /^(?:private_to_model|calls_per_template|calls)$/.test(name) && path.length === 0;
      this.#say(
        [...path, name.slice(0, 100)],
        needsModel ? 'This applies only to `model: true`. Leave it out.' : noSuchField,
      );
    }
  }

  #flag(given: unknown, path: Path, usual: boolean): boolean {
    if (given === undefined || given === null) return usual;
    if (typeof given === 'boolean') return given;
    this.#say(path, 'Give true or false.');
    return usual;
  }

  #globs(given: unknown): readonly string[] {
    if (isEmpty(given)) return [];
    if (!Array.isArray(given) || given.length > globsMax) {
      this.#say(['when'], `Give a list of at most ${globsMax} globs.`);
      return [];
    }
    for (const [index, glob] of (given as unknown[]).entries()) {
      const message = typeof glob === 'string' ? globProblem(glob) : 'Give a glob.';
      if (message !== undefined) this.#say(['when', index], message);
    }
    return given as string[];
  }

  /** Counts a field and judges its name. Returns false if there are too many. */
  #name(name: string, path: Path): boolean {
    this.#fields++;
    if (this.#fields === fieldsMax + 1)
      this.#say(path.slice(0, 1), `Give at most ${fieldsMax} fields, nested ones included.`);
    if (!fieldName.test(name) || unsafeNames.has(name))
      this.#say(
        path,
        'Name a field with 1 to 64 letters, digits, `_`, `-`, `.` and spaces, beginning with a letter or `_`.',
      );
    return this.#fields <= fieldsMax;
  }

  #distinct(names: readonly string[], path: Path): void {
    const seen = new Set<string>();
    for (const name of names) {
      const key = name.toLowerCase();
      if (seen.has(key))
        this.#say([...path, name], 'Another field differs only in upper and lower case. Give it another name.');
      seen.add(key);
    }
  }

  #located(given: unknown, path: Path, depth: number): void {
    if (!isObject(given)) return this.#say(path, 'Give an object of names and where their values stand.');
    if (depth > depthMax) return this.#say(path, `Nest fields at most ${depthMax} deep.`);
    this.#distinct(Object.keys(given), path);
    for (const [name, value] of Object.entries(given)) {
      const at = [...path, name];
      if (!this.#name(name, at)) return;
      if (!Array.isArray(value)) this.#locator(value, at, depth);
      else if (value.length === 0 || value.length > alternativesMax)
        this.#say(at, `Give 1 to ${alternativesMax} alternatives.`);
      else {
        for (const [index, one] of (value as unknown[]).entries()) this.#locator(one, [...at, index], depth);
        const shapes = new Set(
          (value as unknown[]).map(
            (one) => isObject(one) && JSON.stringify([one['type'] ?? 'text', one['list'] === true]),
          ),
        );
        if (shapes.size > 1) this.#say(at, 'Give all alternatives the same `type` and `list`.');
        if (value.length > 1 && (value as unknown[]).some((one) => isObject(one) && one['fields'] !== undefined))
          this.#say(at, 'A field with `fields` has no alternatives. Give alternatives to the fields inside.');
      }
    }
  }

  #locator(given: unknown, path: Path, depth: number): void {
    if (!isObject(given)) return this.#say(path, 'Give an object such as {"css": ".price"} or {"label": "Publisher"}.');
    const { css, label, attribute, between, list, type, map, fields, ...rest } = given;
    this.#unknown(rest, path);
    this.#flag(list, [...path, 'list'], false);
    if (css !== undefined) this.#selector(css, [...path, 'css']);
    if (label !== undefined && !(isText(label) && /[\p{L}\p{N}]/u.test(label)))
      this.#say([...path, 'label'], `Give the text beside the value, at most ${textLengthMax} characters.`);
    if (attribute !== undefined && !(typeof attribute === 'string' && /^[\w:.-]{1,100}$/.test(attribute)))
      this.#say([...path, 'attribute'], 'Give the name of an attribute, such as "content".');
    if (between !== undefined && !isPair(between))
      this.#say(
        [...path, 'between'],
        'Give the texts before and after the value, such as ["ISBN ", ","]. One may be empty.',
      );
    if (type !== undefined && !(fieldTypes as readonly unknown[]).includes(type))
      this.#say([...path, 'type'], `Give one of ${fieldTypes.join(', ')}.`);
    if (map !== undefined) this.#map(map, [...path, 'map']);
    if (type === 'boolean' && map === undefined)
      this.#say(
        [...path, 'map'],
        'Give the texts that mean true and false, such as {"In stock": true, "Sold out": false}.',
      );
    if (fields !== undefined) {
      for (const [name, value] of Object.entries({ label, attribute, between, type, map }))
        if (value !== undefined)
          this.#say([...path, name], 'A field with `fields` has only `css` and `list`. Leave it out.');
      if (list === true && css === undefined)
        this.#say([...path, 'css'], 'Give the selector of the elements that hold one object each.');
      this.#located(fields, [...path, 'fields'], depth + 1);
    } else if ([css, label, between].every((one) => one === undefined) && (attribute === undefined || depth === 1))
      this.#say(path, 'Say where the value stands: give `css`, `label` or `between`.');
  }

  #selector(given: unknown, path: Path): void {
    const length = `Give a CSS selector of at most ${grouped(selectorLengthMax)} characters.`;
    if (typeof given !== 'string' || given.trim() === '' || given.length > selectorLengthMax)
      return this.#say(path, length);
    try {
      compile(given);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#say(path, `This is not a CSS selector: ${why.replace(/\.+$/, '')}.`);
    }
  }

  #map(given: unknown, path: Path): void {
    const isMap =
      isObject(given) &&
      Object.keys(given).length > 0 &&
      Object.keys(given).length <= mapEntriesMax &&
      Object.values(given).every((value) => value === null || ['string', 'number', 'boolean'].includes(typeof value));
    if (!isMap) this.#say(path, `Give an object of 1 to ${mapEntriesMax} texts and their values, such as {"Free": 0}.`);
  }

  /** The schema with what its own references name in their place, as libraries write nested models. */
  #resolved(given: unknown, root: unknown, references: number): unknown {
    if (!isObject(given) || ++this.#schemas > schemasMax) return given;
    const { $defs: _, definitions: __, ...schema } = given;
    const { $ref, allOf, properties, items, anyOf } = schema;
    const only: unknown = Array.isArray(allOf) && allOf.length === 1 ? allOf[0] : undefined;
    const named = typeof $ref === 'string' ? partOf(root, $ref) : only;
    if (isObject(named) && references < depthMax) {
      const { $ref: ___, allOf: ____, ...own } = schema;
      return this.#resolved({ ...named, ...own }, root, references + 1);
    }
    const inner = (one: unknown): unknown => this.#resolved(one, root, references);
    return {
      ...schema,
      ...(isObject(properties) && {
        properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, inner(one)])),
      }),
      ...(items !== undefined && { items: inner(items) }),
      ...(Array.isArray(anyOf) && { anyOf: anyOf.map(inner) }),
    };
  }

  #schema(given: unknown, path: Path, depth: number, isRoot = false): void {
    if (!isObject(given)) return this.#say(path, 'Give a JSON Schema as an object.');
    if (depth > depthMax + 1) return this.#say(path, `Nest the schema at most ${depthMax} deep.`);
    for (const name of Object.keys(given)) if (notRead.test(name)) this.#say([...path, name], schemaMessage(name));
    const { type, properties, items, required, enum: allowed, format, anyOf } = given;
    const kinds: readonly unknown[] = Array.isArray(type) ? (type as unknown[]) : type === undefined ? [] : [type];
    if (!kinds.every((kind) => schemaTypes.has(kind as string)))
      this.#say([...path, 'type'], `Give one of ${[...schemaTypes].join(', ')}.`);
    if (kinds.filter((kind) => kind !== 'null').length > 1)
      this.#say([...path, 'type'], 'Give one type, or one and "null".');
    if (isRoot && !isObject(properties))
      this.#say(
        [...path, 'properties'],
        'Give the fields of a record, such as {"properties": {"price": {"type": "number"}}}.',
      );
    if (format !== undefined && typeof format !== 'string') this.#say([...path, 'format'], 'Give a text.');
    if (
      allowed !== undefined &&
      !(Array.isArray(allowed) && allowed.every((value) => typeof value !== 'object' || value === null))
    )
      this.#say([...path, 'enum'], 'Give a list of texts, numbers, true, false or null.');
    if (isObject(properties)) {
      this.#distinct(Object.keys(properties), [...path, 'properties']);
      for (const [name, value] of Object.entries(properties)) {
        const at = [...path, 'properties', name];
        if (!this.#name(name, at)) return;
        this.#schema(value, at, depth + 1);
      }
    } else if (properties !== undefined) this.#say([...path, 'properties'], 'Give an object of fields.');
    const names = isObject(properties) ? Object.keys(properties) : [];
    if (
      required !== undefined &&
      !(Array.isArray(required) && required.every((name) => names.includes(name as string)))
    )
      this.#say([...path, 'required'], 'Give names of `properties`.');
    if (items !== undefined) this.#schema(items, [...path, 'items'], depth + 1);
    if (anyOf === undefined) return;
    const choices = Array.isArray(anyOf)
      ? (anyOf as unknown[]).filter((one) => !(isObject(one) && one['type'] === 'null'))
      : [];
    if (choices.length === 1) this.#schema(choices[0], [...path, 'anyOf', 0], depth + 1);
    else this.#say([...path, 'anyOf'], 'Give one type, or one and {"type": "null"}.');
  }
}

/** Parts that change which fields there are. Others, such as `default` and `minimum`, say nothing of them. */
const notRead =
  /^(?:\$ref|\$dynamicRef|allOf|oneOf|not|pattern|if|then|else|patternProperties|prefixItems|dependentSchemas)$/;
const schemaTypes = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null']);
const fieldName = /^[\p{L}_][\p{L}\p{M}\p{N}_ .-]{0,63}$/u;
const unsafeNames = new Set(['__proto__', 'constructor', 'prototype']);

function schemaMessage(name: string): string {
  if (name === '$ref') return `Only references inside the schema are read, at most ${depthMax} deep.`;
  return 'This part of JSON Schema is not read. Write the fields out in `properties`.';
}

/** What a reference such as `#/$defs/Offer` names. */
function partOf(root: unknown, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined;
  const names = reference.slice(2).split('/');
  return names.reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), root);
}

/** Too deep a value has no end that a request could need. */
function bytesOf(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value));
  } catch {
    return Infinity;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length <= textLengthMax;
}

function isPair(value: unknown): boolean {
  return Array.isArray(value) && value.length === 2 && value.every(isText) && value.some((text) => text !== '');
}
