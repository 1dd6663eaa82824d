import { readFileSync } from 'node:fs';

/** The bundler replaces it by the version, so that the program needs no `package.json`. Not defined in the sources. */
declare const HAYRAKE_VERSION: string | undefined;

export const version = typeof HAYRAKE_VERSION === 'string' ? HAYRAKE_VERSION : readVersion();

function readVersion(): string {
  const { version: text } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return text;
}
