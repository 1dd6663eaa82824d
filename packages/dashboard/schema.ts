// The options of a job, read from the API's own document: a new option appears in the form without a change here.
import { call } from './api.ts';
import { type Kind, kindPaths } from './request.ts';

/** How the command line gives an option. */
export interface CliFlag {
  /** In the notation of its help, such as `--limit <n>`. */
  readonly flags: string;
  readonly reads: 'number' | 'text' | 'json' | 'secondsOrNever' | 'list' | 'pairs' | 'choice' | 'named' | 'switch';
  /** Of `pairs`: what stands between name and value. */
  readonly separator?: string;
  /** Of `switch`: the value that it sets. */
  readonly sets?: unknown;
  /** Of `named`: the words and their values. */
  readonly values?: Readonly<Record<string, unknown>>;
}

interface Schema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly description?: string;
  readonly 'x-cli'?: CliFlag;
}

export interface JobOption {
  readonly name: string;
  readonly about: string;
  readonly kind: 'choice' | 'boolean' | 'number' | 'text' | 'lines' | 'pairs' | 'json';
  /** Of `choice`: values in the order of the document. */
  readonly choices: readonly unknown[];
  readonly default: unknown;
  readonly min: number | undefined;
  readonly max: number | undefined;
  /** The text can also be a number, or `false`. */
  readonly takesNumbers: boolean;
  readonly cli: CliFlag | undefined;
}

interface Post {
  readonly requestBody: {
    content: { 'application/json': { schema: { properties: Readonly<Record<string, Schema>> } } };
  };
}

interface Document {
  readonly paths: Readonly<Record<string, { post: Post }>>;
}

let document: Promise<Document> | undefined;

/** The options of a request besides its URLs, in the order of the document, which is loaded once. */
export function optionsOf(kind: Kind): Promise<readonly JobOption[]> {
  return optionsAt(kindPaths[kind]);
}

export async function optionsAt(path: string): Promise<readonly JobOption[]> {
  document ??= call<Document>('/openapi.json').catch((error: unknown) => {
    document = undefined;
    throw error;
  });
  const { paths } = await document;
  const { properties } = paths[path]?.post.requestBody.content['application/json'].schema ?? {};
  return Object.entries(properties ?? {}).flatMap(([name, schema]) => optionOf(name, schema) ?? []);
}

/** Options without a type are refused or ignored, if they are not JSON of their own. */
function optionOf(name: string, schema: Schema): JobOption | undefined {
  const forms = schema.anyOf ?? [schema];
  const isJson = schema['x-cli']?.reads === 'json';
  if (name === 'urls' || name === 'url' || (!isJson && forms.every(({ type }) => type === undefined))) return undefined;
  const some = (type: string): Schema | undefined => forms.find((form) => form.type === type);
  const choices = forms.flatMap((form) => {
    if (form.enum) return form.enum;
    if (form.type === 'boolean') return [true, false];
    return form.type === 'null' && forms.length > 1 ? [null] : [];
  });
  const isChoice = forms.every((form) => form.enum !== undefined || form.type === 'boolean' || form.type === 'null');
  const number = some('integer');
  const text = some('string');
  const kinds = {
    json: isJson,
    boolean: schema.type === 'boolean',
    choice: isChoice,
    lines: some('array') !== undefined,
    pairs: some('object') !== undefined,
    text: text !== undefined && !text.enum,
    number: true,
  };
  const kind = (Object.keys(kinds) as JobOption['kind'][]).find((each) => kinds[each]) ?? 'text';
  return {
    name,
    about: schema.description ?? '',
    kind,
    choices,
    default: schema.default,
    min: number?.minimum,
    max: number?.maximum,
    takesNumbers: number !== undefined && text !== undefined,
    cli: schema['x-cli'],
  };
}
