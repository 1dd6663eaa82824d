// A self-signed certificate for 127.0.0.1, new for each run, so that no key is kept and none expires.
import { generateKeyPairSync, sign } from 'node:crypto';

export interface OwnCertificate {
  readonly key: string;
  readonly cert: string;
}

const yearMs = 365 * 24 * 3600 * 1000;

/** Valid from a year ago to a year from now. It is its own authority, so a program that is given it trusts it. */
export function ownCertificate(): OwnCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const ecdsaWithSha256 = sequence(objectId(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));
  const commonName = sequence(objectId(0x55, 0x04, 0x03), tagged(0x0c, Buffer.from('Sites of the tests')));
  const name = sequence(tagged(0x31, commonName));
  const loopback = sequence(tagged(0x87, Buffer.from([127, 0, 0, 1])));
  const extensions = sequence(
    sequence(objectId(0x55, 0x1d, 0x11), tagged(0x04, loopback)),
    // Basic constraints: an authority.
    sequence(objectId(0x55, 0x1d, 0x13), tagged(0x04, sequence(tagged(0x01, Buffer.from([0xff]))))),
  );
  const signed = sequence(
    tagged(0xa0, tagged(0x02, Buffer.from([2]))),
    tagged(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(time(Date.now() - yearMs), time(Date.now() + yearMs)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, extensions),
  );
  const signature = tagged(0x03, Buffer.concat([Buffer.from([0]), sign('sha256', signed, privateKey)]));
  const lines = sequence(signed, ecdsaWithSha256, signature)
    .toString('base64')
    .replace(/.{64}(?=.)/g, '$&\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

/** An element of DER (X.690). */
function tagged(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const head =
    length < 0x80 ? [tag, length] : length < 0x100 ? [tag, 0x81, length] : [tag, 0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from(head), content]);
}

function sequence(...elements: readonly Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(elements));
}

function objectId(...bytes: readonly number[]): Buffer {
  return tagged(0x06, Buffer.from(bytes));
}

/** GeneralizedTime, in whole seconds. */
function time(at: number): Buffer {
  return tagged(0x18, Buffer.from(`${new Date(at).toISOString().replace(/\D/g, '').slice(0, 14)}Z`));
}
