import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';

const pem = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gsu;

/** Reads the certificates of a PEM file. Throws an `Error` with a sentence that says what is wrong with the file. */
export function readCertificates(file: string): readonly string[] {
  let text: string;
  try {
    text = readFileSync(path.resolve(file), 'latin1');
  } catch (error) {
    throw new Error(`the file cannot be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  const certificates = text.match(pem) ?? [];
  if (certificates.length === 0)
    throw new Error('the file contains no certificate in PEM format (`-----BEGIN CERTIFICATE-----`).');
  for (const [index, certificate] of certificates.entries()) {
    if (!isCertificate(certificate)) throw new Error(`certificate ${index + 1} in the file cannot be read.`);
  }
  return certificates;
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).raw.length > 0;
  } catch {
    return false;
  }
}
