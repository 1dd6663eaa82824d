// The types of clients/python, from the OpenAPI document: a TypedDict for each object, as old Pythons have it.

interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
}

interface Document {
  readonly paths: Readonly<
    Record<string, Record<string, { requestBody: { content: { 'application/json': { schema: Schema } } } }>>
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** Bodies of requests, without the fields that are arguments of their own. */
const bodies = [
  { name: 'CrawlOptions', path: '/crawler/jobs', without: 'urls' },
  { name: 'BatchOptions', path: '/scraper/batch', without: 'urls' },
  { name: 'RetryOptions', path: '/crawler/jobs/{id}/retry', without: '' },
  { name: 'ReextractOptions', path: '/crawler/jobs/{id}/reextract', without: '' },
  { name: 'NewSchedule', path: '/crawler/schedules', without: '' },
  { name: 'ScheduleChange', path: '/crawler/schedules/{id}', method: 'patch', without: '' },
  { name: 'ScrapeOptions', path: '/scraper/scrape', without: 'url' },
  { name: 'MapOptions', path: '/scraper/map', without: 'url' },
] as const;

/** Of those that a field could be. */
const keywords = new Set([
  'from',
  'class',
  'import',
  'global',
  'is',
  'in',
  'not',
  'or',
  'and',
  'with',
  'as',
  'def',
  'pass',
]);

/** A module of types. Throws for a schema that it cannot express. */
export function pythonTypes(openapi: string): string {
  const { paths, components } = JSON.parse(openapi) as Document;
  const classes: string[] = [];
  const aliases: string[] = [];

  const typeOf = (schema: Schema, name: string): string => {
    if (schema.$ref !== undefined) return schema.$ref.replace('#/components/schemas/', '');
    if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
    if (schema.enum !== undefined) return `Literal[${schema.enum.map(literal).join(', ')}]`;
    const forms = schema.anyOf ?? schema.oneOf;
    if (forms !== undefined) return union(forms.map((form, index) => typeOf(form, `${name}${index + 1}`)));
    if (Array.isArray(schema.type)) return union(schema.type.map((type: string) => typeOf({ ...schema, type }, name)));
    switch (schema.type) {
      case 'string':
        return 'str';
      case 'integer':
        return 'int';
      case 'number':
        return 'float';
      case 'boolean':
        return 'bool';
      case 'null':
        return 'None';
      case 'array':
        return `List[${typeOf(schema.items ?? {}, `${name}Item`)}]`;
      case 'object':
        return objectOf(schema, name);
      case undefined:
        return 'Any';
      default:
        throw new Error(`${name} has the type ${String(schema.type)}, which the Python client cannot express.`);
    }
  };

  const objectOf = (schema: Schema, name: string): string => {
    if (schema.properties === undefined) {
      const { additionalProperties: values } = schema;
      return `Dict[str, ${typeof values === 'object' ? typeOf(values, `${name}Value`) : 'Any'}]`;
    }
    const required = new Set(schema.required);
    const fields = Object.entries(schema.properties).map(([field, each]) => {
      if (!/^[a-z_]\w*$/i.test(field)) throw new Error(`${name} has the field ${field}, which is no name in Python.`);
      return { field, type: typeOf(each, `${name}${camel(field)}`) };
    });
    if (fields.some(({ field }) => keywords.has(field))) {
      if (fields.some(({ field }) => !required.has(field)))
        throw new Error(`${name} has optional fields and a keyword.`);
      const entries = fields.map(({ field, type }) => `"${field}": "${type}"`).join(', ');
      classes.push(`${name} = TypedDict("${name}", {${entries}})\n`);
      return name;
    }
    const lines = (some: typeof fields): string =>
      some.map(({ field, type }) => `    ${field}: ${type}\n`).join('') || '    pass\n';
    const always = fields.filter(({ field }) => required.has(field));
    const sometimes = fields.filter(({ field }) => !required.has(field));
    if (always.length === 0) classes.push(`class ${name}(TypedDict, total=False):\n${lines(sometimes)}`);
    else if (sometimes.length === 0) classes.push(`class ${name}(TypedDict):\n${lines(always)}`);
    else
      classes.push(
        `class _${name}(TypedDict):\n${lines(always)}`,
        `class ${name}(_${name}, total=False):\n${lines(sometimes)}`,
      );
    return name;
  };

  for (const [name, schema] of Object.entries(components.schemas)) {
    const type = typeOf(schema, name);
    if (type !== name) aliases.push(`${name} = ${type}`);
  }
  for (const { name, path, without, ...rest } of bodies) {
    const method = 'method' in rest ? rest.method : 'post';
    const schema = paths[path]?.[method]?.requestBody.content['application/json'].schema;
    if (schema?.properties === undefined) throw new Error(`${method} ${path} takes no object.`);
    const { [without]: _, ...properties } = schema.properties;
    typeOf({ type: 'object', properties, required: [] }, name);
  }
  return `# Written by \`npm run docs\` from the API. Do not edit.
"""The shapes of the API. docs/openapi.json says what each field means."""
from __future__ import annotations

from typing import Any, Dict, List, Literal, TypedDict, Union

${[...classes, aliases.join('\n')].join('\n\n')}

Page = ResultsDataItem
Meta = ResultsMetaDataItem
UrlEntry = UrlListDataItem
PageChange = ChangeListDataItem
FeedChange = FeedDataItem
Host = HostListDataItem
`;
}

function union(types: readonly string[]): string {
  const different = [...new Set(types)];
  return different.length === 1 ? (different[0] ?? '') : `Union[${different.join(', ')}]`;
}

function literal(value: unknown): string {
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  return value === null ? 'None' : JSON.stringify(value);
}

function camel(field: string): string {
  return field.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}
