// A name server of a few lines, over UDP, on port 53: it answers what a test says, with a TTL of 0.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv4 } from 'node:net';
import ipaddr from 'ipaddr.js';

export interface Zone {
  /** The addresses of the name, of either family; undefined if there is no such name. */
  readonly addresses: readonly string[] | undefined;
  /** Names that lead to the addresses one after the other, the asked one being an alias of the first. */
  readonly aliases?: readonly string[];
  /** Says that it cannot tell (SERVFAIL), or nothing. */
  readonly trouble?: 'failure' | 'silence';
  /** @default answers at once */
  readonly afterMs?: number;
}

export interface DnsServer {
  /** Every name that was asked for. */
  readonly asked: ReadonlySet<string>;
  close(): void;
}

const types = { A: 1, CNAME: 5, AAAA: 28 } as const;
const nameError = 3;
const serverFailure = 2;

export async function startDnsServer(zoneOf: (name: string, type: 'A' | 'AAAA') => Zone): Promise<DnsServer> {
  const asked = new Set<string>();
  const socket = createSocket('udp4', (query, from) => {
    const { name, type, question } = readQuestion(query);
    asked.add(name);
    const zone = zoneOf(name, type === types.AAAA ? 'AAAA' : 'A');
    const aliases = zone.addresses === undefined ? [] : (zone.aliases ?? []);
    const isOfType = (address: string): boolean => type === (isIPv4(address) ? types.A : types.AAAA);
    const records = [
      ...aliases.map((alias, index) => record(aliases[index - 1] ?? name, types.CNAME, nameBytes(alias))),
      ...(zone.addresses ?? [])
        .filter(isOfType)
        .map((address) => record(aliases.at(-1) ?? name, type, Buffer.from(ipaddr.parse(address).toByteArray()))),
    ];
    const head = Buffer.alloc(12);
    query.copy(head, 0, 0, 2);
    // An answer, authoritative, to one question.
    head.writeUInt16BE(0x8580 | codeOf(zone), 2);
    head.writeUInt16BE(1, 4);
    head.writeUInt16BE(records.length, 6);
    if (zone.trouble === 'silence') return;
    const message = Buffer.concat([head, question, ...records]);
    setTimeout(() => socket.send(message, from.port, from.address, () => {}), zone.afterMs ?? 0).unref();
  });
  socket.bind(53, '127.0.0.1');
  await once(socket, 'listening');
  return { asked, close: () => socket.close() };
}

function codeOf({ addresses, trouble }: Zone): number {
  if (trouble === 'failure') return serverFailure;
  return addresses === undefined ? nameError : 0;
}

function readQuestion(query: Buffer): { readonly name: string; readonly type: number; readonly question: Buffer } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const end = at + 5;
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), question: query.subarray(12, end) };
}

function record(name: string, type: number, data: Buffer): Buffer {
  const fixed = Buffer.alloc(10);
  fixed.writeUInt16BE(type, 0);
  fixed.writeUInt16BE(1, 2);
  fixed.writeUInt32BE(0, 4);
  fixed.writeUInt16BE(data.length, 8);
  return Buffer.concat([nameBytes(name), fixed, data]);
}

function nameBytes(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.concat([Buffer.of(label.length), Buffer.from(label, 'latin1')]));
  return Buffer.concat([...labels, Buffer.of(0)]);
}
