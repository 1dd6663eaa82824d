import { createReadStream } from 'node:fs';
import { ExitError, exitCodes } from '../core/errors.ts';
import { withoutLogin } from './url-login.ts';

/** A list of 10,000 long URLs. */
const fileBytesMax = 20 * 2 ** 20;

export interface GivenUrls {
  readonly urls: readonly string[];
  /** What error messages call each URL: with its file and line, if it is from a file. */
  readonly names: readonly string[];
  /** The login that a URL contained. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Returns the URLs of the command line, then those of a file with one per line; `-` is standard input. Empty lines and
 * lines that begin with `#` are skipped. Rejects with an `ExitError` if the file cannot be read, is not UTF-8 text, or
 * there is no URL at all, or if a login in one would be sent to the hosts of others.
 */
export async function urlsOf(given: readonly string[], file: string | undefined): Promise<GivenUrls> {
  const fromFile = file === undefined ? [] : linesOf(await textOf(file), file === '-' ? 'standard input' : file);
  const all = [...given.map((url) => ({ url, prefix: '' })), ...fromFile];
  if (all.length === 0) {
    const what = file === undefined ? 'Name a URL, or a file of URLs with --urls-from FILE.' : `${file} has no URL.`;
    throw new ExitError(exitCodes.usage, what);
  }
  const { urls, headers } = withoutLogin(all.map(({ url }) => url));
  const names = all.map(({ prefix, url }, index) => `${prefix}${Object.keys(headers).length > 0 ? urls[index] : url}`);
  return { urls, names, headers };
}

function linesOf(text: string, file: string): { readonly url: string; readonly prefix: string }[] {
  return text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .map((line, index) => ({ url: line.trim(), prefix: `${file}, line ${index + 1}: ` }))
    .filter(({ url }) => url !== '' && !url.startsWith('#'));
}

async function textOf(file: string): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of file === '-' ? process.stdin : createReadStream(file)) {
      parts.push(part as Buffer);
      bytes += (part as Buffer).length;
      if (bytes > fileBytesMax)
        throw new ExitError(exitCodes.usage, `${file} is larger than 20 MiB. Name a file with one URL per line.`);
    }
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.concat(parts));
  } catch (error) {
    if (error instanceof ExitError) throw error;
    const why = error instanceof TypeError ? 'it is not UTF-8 text' : whyUnreadable(error);
    throw new ExitError(exitCodes.usage, `--urls-from: ${file} cannot be read: ${why}.`);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EISDIR: 'it is a directory',
  EACCES: 'this user may not read it',
};

function whyUnreadable(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return reasons[code] ?? error.message;
}
