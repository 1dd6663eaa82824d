// What may be reached, and how.
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { boolean, choice, isDecodable, notEmpty, wholeNumber, type SettingRows } from './parse.ts';

const pem = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gsu;

/** Reads the certificates of a PEM file. Throws an `Error` with a sentence that says what is wrong with the file. */
function readCertificates(file: string): readonly string[] {
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

/** A proxy of the operator. With a name, only jobs that name it use it. */
interface ProxyEntry {
  readonly name?: string;
  readonly url: URL;
}

export interface NetworkRules {
  /** Throws an `Error` when the text is not a list of networks with or without ports. */
  checkNetworks(text: string): void;
}

export const networkSettings = (rules: NetworkRules) =>
  ({
    allowPrivate: {
      placeholder: 'NETWORKS',
      default: '',
      description:
        'Private networks that jobs may enter. With a port or with all ports: `10.0.0.0/8`, `127.0.0.1:8080`, `[fd00::/8]:443`. Only a job with a start URL inside a network enters it (SECURITY.md). Empty: public addresses only.',
      parse: (text) => {
        if (text.trim() !== '') rules.checkNetworks(text);
        return text.trim();
      },
    },
    ...otherSettings,
  }) satisfies SettingRows;

const otherSettings = {
  allowPorts: {
    placeholder: 'PORTS',
    default: '',
    description:
      'Ports of public addresses that may be crawled besides 80, 443 and 8000 to 8999, such as `3000,9090`. HAYRAKE_ALLOW_PRIVATE has the ports of private networks.',
    parse: (text) => (text.trim() === '' ? [] : text.split(',').map((port) => wholeNumber(port.trim(), 1, 65_535))),
  },
  proxies: {
    env: 'HAYRAKE_PROXY',
    placeholder: 'URLS',
    default: '',
    secret: true,
    description:
      'Proxy for all fetches, or several, separated by commas: `http://[user:password@]host:port` (port 80 if none is given) or `socks5://...` (1080). It gets only checked IP addresses (SECURITY.md). `NAME=URL` is for jobs with `proxy: NAME` only. `HTTP_PROXY` and similar variables are ignored.',
    parse: proxyList,
  },
  proxyRule: {
    ...choice(['sticky', 'round_robin'], 'RULE'),
    default: 'sticky',
    description:
      'Which of several proxies gets a connection: `sticky`, the same for all connections to a host, or `round_robin`, each in turn. The pace of a host holds over all of them.',
  },
  proxyResolves: {
    ...boolean,
    default: 'false',
    description:
      'Whether the proxy resolves names, for networks where only it can: `true` or `false`. Hosts behind the proxy can then be reached under any name of the web (SECURITY.md).',
  },
  /** The certificates of the file, in PEM format. */
  caFile: {
    placeholder: 'FILE',
    default: '',
    description:
      'File with certificates of further authorities (PEM), such as that of your own network, trusted for every job, besides those that Node trusts. Read at start.',
    parse: (text) => (text === '' ? [] : readCertificates(notEmpty(text))),
  },
  webhookHttp: {
    ...boolean,
    default: 'false',
    description:
      'Whether `webhook_url` may be an http URL, for receivers in your own network: `true` or `false`. Messages are then signed but not encrypted.',
  },
  contact: {
    placeholder: 'URL_OR_MAIL',
    default: '',
    description: 'Contact in the user agent, so that site owners can reach you: `hayrake/VERSION (+URL or mail)`.',
    parse: contact,
  },
} satisfies SettingRows;

function contact(text: string): string | undefined {
  if (!/^[\x21-\x7e]{3,200}$/.test(text) || /[()]/.test(text))
    throw new Error('write a URL or a mail address, at most 200 characters.');
  return text;
}

function proxyList(text: string): readonly ProxyEntry[] {
  const entries = text.split(',').map(proxyEntry);
  const names = entries.flatMap(({ name }) => (name === undefined ? [] : [name]));
  if (new Set(names).size < names.length) throw new Error('two proxies have one name. Give each another name.');
  return entries;
}

/** Never repeats the given text: it can contain a password. */
function proxyEntry(text: string): ProxyEntry {
  const [, name, address = ''] = /^(?:([\w-]{1,40})=)?([^]*)$/u.exec(text.trim()) ?? [];
  const url = URL.parse(address);
  // Only a URL without a path is a proxy; a URL of another scheme than http has an empty one.
  const isWhole =
    /^\/?$/u.test(url?.pathname ?? 'none') && url?.hostname !== '' && url?.search === '' && url.hash === '';
  const isKnown = url?.protocol === 'http:' || url?.protocol === 'socks5:';
  const isLogin = [url?.username, url?.password].every(
    (part = '') => isDecodable(part) && (url?.protocol === 'http:' || Buffer.byteLength(part) <= socksLoginBytesMax),
  );
  if (!url || !isKnown || !isWhole || !isLogin)
    throw new Error(
      'write the URL of a proxy, like http://user:password@proxy.example:3128 or socks5://proxy.example:1080, with @ in a password written %40, a comma %2C and % written %25. NAME= in front makes it one for jobs that name it. Other kinds are not supported.',
    );
  return { ...(name !== undefined && { name }), url };
}

/** RFC 1929. */
const socksLoginBytesMax = 255;
