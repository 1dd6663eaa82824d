// What a setting says, and what its text can be. Each function throws an `Error` that says what to write.

export interface SettingRow {
  /** This and the flag follow from the name if they are absent. */
  readonly env?: string;
  /** Without dashes. A secret has none: a command line would reveal it. */
  readonly flag?: string | undefined;
  readonly placeholder: string;
  /** As a person would write it; empty if there is none. */
  readonly default: string;
  readonly description: string;
  parse(text: string): unknown;
  readonly secret?: boolean;
}

export type SettingRows = Readonly<Record<string, SettingRow>>;

/** A row for a whole number. */
export function number(min: number, max: number, placeholder = 'N') {
  return { placeholder, parse: (text: string) => wholeNumber(text, min, max) };
}

/** A row for one of several words. */
export function choice<const Values extends readonly string[]>(values: Values, placeholder = 'MODE') {
  return { placeholder, parse: (text: string) => oneOf(text, values) };
}

export const boolean = { placeholder: 'BOOLEAN', parse: (text: string) => oneOf(text, ['true', 'false']) === 'true' };

export function notEmpty(text: string): string {
  if (text.trim() === '') throw new Error('it is empty.');
  return text.trim();
}

export function wholeNumber(text: string, min: number, max: number): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < min || Number(text) > max)
    throw new Error(`write a whole number from ${min} to ${max}.`);
  return Number(text);
}

function oneOf<const Values extends readonly string[]>(text: string, values: Values): Values[number] {
  const found = values.find((value) => value === text);
  if (found === undefined) throw new Error(`write one of ${values.join(', ')}.`);
  return found;
}

/** Undefined is for a setting without one. */
export function serviceUrl(text: string): URL | undefined {
  const url = URL.parse(text.trim());
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!isHttp || url.username !== '' || url.search !== '' || url.hash !== '')
    throw new Error('write the http or https address of a service, like http://127.0.0.1:8380.');
  return url;
}

export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
