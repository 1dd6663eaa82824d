import { readFileSync } from 'node:fs';

export const version = readVersion();

function readVersion(): string {
  const { version: text } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return text;
}
