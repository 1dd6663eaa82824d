// What the text of a setting can be. Each throws an `Error` that says what to write.

export function notEmpty(text: string): string {
  if (text.trim() === '') throw new Error('it is empty.');
  return text.trim();
}

export function wholeNumber(text: string, min: number, max: number): number {
  if (!/^\d{1,9}$/.test(text) || Number(text) < min || Number(text) > max)
    throw new Error(`write a whole number from ${min} to ${max}.`);
  return Number(text);
}

export function oneOf<const Values extends readonly string[]>(text: string, values: Values): Values[number] {
  const found = values.find((value) => value === text);
  if (found === undefined) throw new Error(`write one of ${values.join(', ')}.`);
  return found;
}

export function serviceUrl(text: string): URL {
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
