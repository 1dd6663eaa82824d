// What happens to each field of a request: supported, mapped, ignored (with or without a warning), or refused. An unknown
// field is refused. A field that is null counts as absent.
import { grouped } from '../core/grouped.ts';
import { badRequest } from './facade-error.ts';

/** A request under translation. */
export interface Translation {
  /** Options of our own request. */
  readonly options: Record<string, unknown>;
  /** Sentences about fields without effect. */
  readonly warnings: string[];
}

/** Handles the value of one field. Throws a `FacadeError` if it cannot be obeyed. */
export type Rule = (value: unknown, to: Translation, name: string) => void;
export type Rules = Readonly<Record<string, Rule>>;

/** Translates an object by rules. `where` is a prefix for the names in messages. */
export function translate(given: unknown, rules: Rules, to: Translation, where = ''): void {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw badRequest(where === '' ? 'Send a JSON object.' : `\`${where.slice(0, -1)}\`: Give an object.`);
  for (const [key, value] of Object.entries(given)) {
    const name = `${where}${key}`.slice(0, 200);
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    if (!rule) throw badRequest(`Unrecognized key in body: "${name}"`);
    if (value !== null && value !== undefined) rule(value, to, name);
  }
}

/** Has no effect that a client could miss. */
export const quiet: Rule = () => undefined;

/** Has no effect; the client is told, if the value asks for one. */
export function warns(sentence: string, asks: (value: unknown) => boolean = isFilled): Rule {
  return (value, { warnings }, name) => {
    if (asks(value)) warnings.push(`\`${name}\` has no effect: ${sentence}`);
  };
}

/** Refused if the value asks for something. */
export function refuses(sentence: string, asks: (value: unknown) => boolean = isFilled): Rule {
  return (value, _to, name) => {
    if (asks(value)) throw badRequest(`\`${name}\` is not supported: ${sentence}`);
  };
}

/** The value becomes an option. */
export function becomes(option: string, read: (value: unknown, name: string) => unknown): Rule {
  return (value, { options }, name) => {
    options[option] = read(value, name);
  };
}

export function isFilled(value: unknown): boolean {
  if (value === false || value === '' || value === null || value === undefined) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

export function asBoolean(value: unknown, name: string): boolean {
  if (typeof value === 'boolean') return value;
  throw badRequest(`\`${name}\`: Give true or false.`);
}

export function asText(value: unknown, name: string): string {
  if (typeof value === 'string') return value;
  throw badRequest(`\`${name}\`: Give a text.`);
}

export function asTexts(value: unknown, name: string): readonly string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw badRequest(`\`${name}\`: Give a list of texts.`);
}

/** A number from `min` to `max`. */
export function asNumber(min: number, max: number): (value: unknown, name: string) => number {
  return (value, name) => {
    if (typeof value === 'number' && value >= min && value <= max) return value;
    throw badRequest(`\`${name}\`: Give a number from ${grouped(min)} to ${grouped(max)}.`);
  };
}

/** A whole number from `min` to `max`. */
export function asWhole(min: number, max: number): (value: unknown, name: string) => number {
  const read = asNumber(min, max);
  return (value, name) => {
    if (Number.isInteger(value)) return read(value, name);
    throw badRequest(`\`${name}\`: Give a whole number.`);
  };
}
