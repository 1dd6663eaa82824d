import { expect, test } from 'vitest';
import { languageName } from './language-name.ts';

test.each([
  ['python3', 'python'],
  ['Py', 'python'],
  ['JS', 'javascript'],
  ['c++', 'cpp'],
  ['pycon', 'pycon'],
  ['foo+bar', 'foo+bar'],
  ['constructor', 'constructor'],
])('languageName: reads %s as %s', (name, usual) => {
  expect(languageName(name)).toBe(usual);
});
