import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { intermediateAuthority, rootAuthority } from '../../test/egress/certificates.ts';
import { settings } from './settings.ts';
import { readConfig } from './read-config.ts';

const dir = mkdtempSync(path.join(tmpdir(), 'hayrake-ca-'));
afterAll(() => rmSync(dir, { recursive: true }));
const file = path.join(dir, 'ca.pem');

function caFileOf(content: string | undefined): readonly string[] | undefined {
  rmSync(file, { force: true });
  if (content !== undefined) writeFileSync(file, content);
  return readConfig(settings({ checkNetworks: () => {} }), { flags: {}, env: { HAYRAKE_CA_FILE: file } }).config.caFile;
}

test('HAYRAKE_CA_FILE: returns every certificate of the file, and ignores the text between them', () => {
  expect(caFileOf(`Our root\n${rootAuthority}\nissues\r\n${intermediateAuthority}`)).toEqual([
    rootAuthority.trim(),
    intermediateAuthority.trim(),
  ]);
});

test('HAYRAKE_CA_FILE: is no certificates by default', () => {
  expect(readConfig(settings({ checkNetworks: () => {} }), { flags: {}, env: {} }).config.caFile).toEqual([]);
});

test.each([
  ['the file is missing', undefined, /the file cannot be read: ENOENT/u],
  ['the file is empty', '', /contains no certificate in PEM format/u],
  ['the file has only a key', '-----BEGIN PRIVATE KEY-----\nMIGH\n-----END PRIVATE KEY-----\n', /no certificate/u],
  [
    'a certificate is damaged',
    `${rootAuthority}${intermediateAuthority.replace('MII', 'MMM')}`,
    /certificate 2 in the file/u,
  ],
])('HAYRAKE_CA_FILE: is refused with exit code 2 when %s', (_, content, message) => {
  expect(() => caFileOf(content)).toThrow(
    expect.objectContaining({ exitCode: 2, message: expect.stringMatching(message) as string }) as Error,
  );
  expect(() => caFileOf(content)).toThrow(/^HAYRAKE_CA_FILE is ".*ca\.pem", which cannot be used: /u);
});
