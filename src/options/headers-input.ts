// The headers and cookies that a client can send along with its job's requests. Their values are secrets: no message
// here repeats one.
import { grouped } from '../core/grouped.ts';
import { z } from 'zod';

const namesMax = 20;
const valueLengthMax = 2_048;
/** Limit for names and values together: many servers refuse a request with more than 8 KiB of headers. */
const lengthMax = 7_000;
/** A token (RFC 9110, 5.6.2). */
const token = /^[!#$%&'*+\-.^_`|~\dA-Za-z]{1,100}$/;
/** Visible characters, spaces and tabs (RFC 9110, 5.5): no character that could end the line. */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;
/** cookie-octet (RFC 6265, 4.1.1), plus spaces and commas, which real cookies contain. */
const cookieValue = /^[\x20-\x21\x23-\x3a\x3c-\x5b\x5d-\x7e]*$/;

/** Set by the crawler itself: framing, the sender's name, accepted codings. */
const ownHeaders: ReadonlySet<string> = new Set(
  (
    'host connection content-length content-type transfer-encoding te trailer upgrade keep-alive expect ' +
    'http2-settings user-agent accept-encoding range'
  ).split(' '),
);

export const headersInput = entries((name) => {
  if (!token.test(name)) return 'This is not a valid header name.';
  const lower = name.toLowerCase();
  if (lower === 'cookie') return 'Give cookies in `cookies`.';
  return ownHeaders.has(lower) || lower.startsWith('proxy-')
    ? 'The crawler sets this header itself. Leave it out.'
    : undefined;
}, headerValue);

export const cookiesInput = entries(
  (name) => (token.test(name) ? undefined : 'This is not a valid cookie name.'),
  cookieValue,
);

function entries(problemOf: (name: string) => string | undefined, allowed: RegExp) {
  return z
    .record(z.string(), z.string({ error: 'Give a text.' }), { error: 'Give an object of names and values.' })
    .superRefine((given, context) => {
      const names = Object.keys(given);
      if (names.length > namesMax) {
        context.addIssue({ code: 'custom', message: `Give at most ${namesMax}.` });
        return;
      }
      if (Object.entries(given).flat().join('').length > lengthMax) {
        context.addIssue({
          code: 'custom',
          message: `Give at most ${grouped(lengthMax)} characters in all.`,
        });
      }
      for (const [name, value] of Object.entries(given)) {
        const problem = problemOf(name) ?? valueProblem(value, allowed);
        if (problem !== undefined) context.addIssue({ code: 'custom', path: [name.slice(0, 100)], message: problem });
      }
      if (new Set(names.map((name) => name.toLowerCase())).size < names.length && allowed === headerValue) {
        context.addIssue({ code: 'custom', message: 'A name is given twice. Give each name once.' });
      }
    })
    .nullable()
    .default(null);
}

function valueProblem(value: string, allowed: RegExp): string | undefined {
  if (value.length > valueLengthMax) return `Give at most ${grouped(valueLengthMax)} characters.`;
  return allowed.test(value)
    ? undefined
    : 'The value contains characters that cannot be sent, such as line breaks. Remove them.';
}
