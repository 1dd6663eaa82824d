// The list of mutants fits today's source. Whether tests notice them: `npm run prove -- --mutants`, and mutants.all.test.ts.
import { existsSync, readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Mutant, mutated, mutantsOfDay } from '../../prove/mutants/mutate.ts';
import { mutants } from '../../prove/mutants/mutants.ts';

const root = path.join(import.meta.dirname, '../..');

test('there are thirty mutants at least, each with a name of its own', () => {
  const names = mutants.map(({ name }) => name);
  expect(names.length).toBeGreaterThanOrEqual(30);
  expect(names.filter((name) => !/^[a-z0-9]+(-[a-z0-9]+)+$/.test(name))).toEqual([]);
  expect(new Set(names).size).toBe(names.length);
});

test.each(mutants)('$name: the text is there once, and what replaces it can be parsed', (mutant) => {
  const { file, find, test: tests } = mutant;
  const source = readFileSync(path.join(root, file), 'utf8');
  const broken = mutated(mutant, source);
  expect(broken).not.toBe(source);
  expect(() => stripTypeScriptTypes(broken)).not.toThrow();
  expect(existsSync(path.join(root, tests)), tests).toBe(true);
  // A long one has to follow every change.
  expect(find.length).toBeLessThanOrEqual(80);
  expect(find.split('\n').length).toBeLessThanOrEqual(2);
});

describe('a text to find', () => {
  const mutant: Mutant = { name: 'a-b', what: '', file: '', find: 'a$1', replace: '$&', test: '' };

  test('is taken as it is written', () => {
    expect(mutated(mutant, 'x a$1 y')).toBe('x $& y');
  });

  test.each([
    ['not there', 'x'],
    ['there twice', 'a$1 a$1'],
  ])('is an error where it is %s', (_, source) => {
    expect(() => mutated(mutant, source)).toThrow('mutant a-b: the text to find occurs');
  });
});

test('every mutant has its day', () => {
  const days = Array.from({ length: Math.ceil(mutants.length / 5) }, (_, day) =>
    mutantsOfDay(mutants, new Date(Date.UTC(2030, 0, 1 + day)), 5),
  );
  expect(days.every((ofDay) => new Set(ofDay).size === 5)).toBe(true);
  expect(new Set(days.flat()).size).toBe(mutants.length);
});
