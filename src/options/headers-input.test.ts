import { describe, expect, test } from 'vitest';
import { toRequestHeaders } from '../jobs/request-headers.ts';
import { cookiesInput, headersInput } from './headers-input.ts';

const secret = 'the-secret-value';

/** Returns the problems of an input, each with its path; empty if there are none. */
function problemsOf(schema: typeof headersInput, input: unknown): string[] {
  const parsed = schema.safeParse(input);
  return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`);
}

const many = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`x-${index}`, secret]));

describe('headersInput', () => {
  test.each<readonly [string, unknown]>([
    ['null', null],
    ['an empty object', {}],
    ['one header', { Authorization: `Bearer ${secret}` }],
    ['20 headers', many(20)],
    ['a value of 2,048 characters', { 'x-long': 'x'.repeat(2_048) }],
    ['an empty value', { 'x-empty': '' }],
    ['a tab and Latin-1', { 'x-odd': 'a\tb é' }],
    ['every character of a name', { "!#$%&'*+-.^_`|~09azAZ": 'x' }],
    ['Accept, Accept-Language and Referer', { Accept: 'text/html', 'Accept-Language': 'de', Referer: 'x' }],
  ])('headersInput: accepts %s', (_, input) => {
    expect(problemsOf(headersInput, input)).toEqual([]);
  });

  const own = 'The crawler sets this header itself. Leave it out.';
  const noName = 'This is not a valid header name.';
  const notSent = 'The value contains characters that cannot be sent, such as line breaks. Remove them.';
  test.each<readonly [string, unknown, string]>([
    ['Host', { Host: secret }, `Host: ${own}`],
    ['User-Agent', { 'user-agent': secret }, `user-agent: ${own}`],
    ['Accept-Encoding', { 'Accept-Encoding': secret }, `Accept-Encoding: ${own}`],
    ['Content-Length', { 'content-length': '1' }, `content-length: ${own}`],
    ['Transfer-Encoding', { 'Transfer-Encoding': 'chunked' }, `Transfer-Encoding: ${own}`],
    ['Connection', { connection: 'close' }, `connection: ${own}`],
    ['Upgrade', { upgrade: 'h2c' }, `upgrade: ${own}`],
    ['Range', { range: 'bytes=0-1' }, `range: ${own}`],
    ['headers for a proxy', { 'Proxy-Authorization': secret }, `Proxy-Authorization: ${own}`],
    ['Cookie', { Cookie: secret }, 'Cookie: Give cookies in `cookies`.'],
    ['a name with a space', { 'x y': secret }, `x y: ${noName}`],
    ['a name with a colon', { 'x:y': secret }, `x:y: ${noName}`],
    ['a name with a line end', { 'x\r\ny': secret }, `x\r\ny: ${noName}`],
    ['an empty name', { '': secret }, `: ${noName}`],
    ['a name of 101 characters', { ['x'.repeat(101)]: secret }, `${'x'.repeat(100)}: ${noName}`],
    ['a value with a line end', { x: `a\r\nb: ${secret}` }, `x: ${notSent}`],
    ['a value that ends with a newline', { x: `${secret}\n` }, `x: ${notSent}`],
    ['a value with a zero byte', { x: `${secret}\0` }, `x: ${notSent}`],
    ['a value beyond Latin-1', { x: `${secret} €` }, `x: ${notSent}`],
    ['a value of 2,049 characters', { x: 'x'.repeat(2_049) }, 'x: Give at most 2,048 characters.'],
    ['21 headers', many(21), ': Give at most 20.'],
    ['one name in two notations', { 'X-A': secret, 'x-a': secret }, ': A name is given twice. Give each name once.'],
    ['a number as value', { x: 1 }, 'x: Give a text.'],
    ['a list', ['x'], ': Give an object of names and values.'],
    ['a text', `x: ${secret}`, ': Give an object of names and values.'],
  ])('headersInput: rejects %s, and does not repeat the value', (_, input, expected) => {
    expect(problemsOf(headersInput, input)).toEqual([expected]);
    expect(problemsOf(headersInput, input).join()).not.toContain(secret);
  });
});

describe('cookiesInput', () => {
  test.each<readonly [string, unknown]>([
    ['null', null],
    ['one cookie', { session: secret }],
    ['two cookies that differ in case', { A: '1', a: '2' }],
    ['a value with commas, spaces and braces', { x: 'a, b {"c":[1]}'.replaceAll('"', "'") }],
  ])('cookiesInput: accepts %s', (_, input) => {
    expect(problemsOf(cookiesInput, input)).toEqual([]);
  });

  const notSent = 'x: The value contains characters that cannot be sent, such as line breaks. Remove them.';
  test.each<readonly [string, unknown, string]>([
    ['a value with a semicolon', { x: `1; admin=${secret}` }, notSent],
    ['a value with a quote', { x: `"${secret}"` }, notSent],
    ['a value with a backslash', { x: `${secret}\\` }, notSent],
    ['a value with a line end', { x: `${secret}\r\nSet: x` }, notSent],
    ['a value beyond ASCII', { x: `${secret}é` }, notSent],
    ['a name with =', { 'x=y': secret }, 'x=y: This is not a valid cookie name.'],
    ['21 cookies', many(21), ': Give at most 20.'],
  ])('cookiesInput: rejects %s', (_, input, expected) => {
    expect(problemsOf(cookiesInput, input)).toEqual([expected]);
  });
});

test('toRequestHeaders: returns names in lower case, trimmed values, and cookies in one header', () => {
  expect(toRequestHeaders({ 'X-Token': ' a b ', Accept: 'text/html' }, { a: '1', B: '2' })).toEqual({
    'x-token': 'a b',
    accept: 'text/html',
    cookie: 'a=1; B=2',
  });
  expect(toRequestHeaders(null, {})).toEqual({});
  expect(toRequestHeaders(null, null)).toEqual({});
});
