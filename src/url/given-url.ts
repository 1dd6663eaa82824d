import { givenUrl } from '../core/given-url.ts';
import { parseHttpUrl } from './parse-url.ts';

/** Parses a URL as a person types it, with or without a scheme: see {@link parseHttpUrl}. */
export function parseGivenUrl(text: string): ReturnType<typeof parseHttpUrl> {
  return parseHttpUrl(givenUrl(text.trim()));
}
