import { expect, test } from 'vitest';
import { withHeaders, withoutLogin } from './url-login.ts';

test.each([
  [['https://ann:s3cret@a.example/x?y#z'], ['https://a.example/x?y#z'], 'ann:s3cret'],
  [['https://ann@a.example/'], ['https://a.example/'], 'ann:'],
  [['http://:only@a.example/'], ['http://a.example/'], ':only'],
  [['https://a%40b:p%3Aq%C3%A9@a.example/'], ['https://a.example/'], 'a@b:p:qé'],
  [['https://a.example/1', 'https://ann:x@a.example/2'], ['https://a.example/1', 'https://a.example/2'], 'ann:x'],
])('withoutLogin: takes the login out of %j', (given, urls, login) => {
  const taken = withoutLogin(given);
  expect(taken.urls).toEqual(urls);
  expect(Buffer.from(taken.headers['Authorization']!.slice('Basic '.length), 'base64').toString()).toBe(login);
});

test.each([[['https://a.example/@x']], [['not a url']], [['ftp://ann:x@a.example/']]])(
  'withoutLogin: leaves %j as it is',
  (given) => expect(withoutLogin(given)).toEqual({ urls: given, headers: {} }),
);

test.each([
  [['https://ann:x@a.example/', 'https://b.example/']],
  [['https://b.example/', 'https://ann:x@a.example/']],
  [['https://ann:x@a.example/', 'http://a.example/']],
  [['https://ann:x@a.example/', 'https://a.example:8443/']],
  [['https://ann:x@a.example/', 'https://bob:x@a.example/']],
  [['https://ann:x@a.example/', 'not a url']],
])('withoutLogin: refuses %j, whose login another host or user would get', (given) => {
  expect(() => withoutLogin(given)).toThrow(/by itself/u);
});

test('withHeaders: adds the login to other headers, and refuses a second one in any case of letters', () => {
  const login = { Authorization: 'Basic eA==' };
  expect(withHeaders({ headers: { A: 'b' }, page_limit: 1 }, login)).toEqual({
    headers: { A: 'b', ...login },
    page_limit: 1,
  });
  expect(withHeaders({ page_limit: 1 }, {})).toEqual({ page_limit: 1 });
  expect(() => withHeaders({ headers: { authorization: 'x' } }, login)).toThrow(/once/u);
});
