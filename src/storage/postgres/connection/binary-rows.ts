// The driver can ask for results in binary, but reads every value as UTF-8, which destroys bytes. Bytes as hexadecimal
// text take five times the processor time, most of it in the server (docs/decisions/storage.md). So rows of binary
// results are read here. The version of the driver is fixed when the program is bundled.
import { Parser } from 'pg-protocol/dist/parser.js';

/** What a parser of the driver does with one message. */
interface Handling {
  isBinary?: boolean;
  handlePacket: (this: Handling, at: number, code: number, length: number, bytes: Buffer) => Message;
}

interface Message {
  readonly name: string;
  readonly length: number;
  readonly fields: readonly { readonly format: string }[] | readonly (Buffer | null)[];
}

/** Codes of messages: protocol 3.0 of PostgreSQL. */
const rowDescription = 0x54;
const dataRow = 0x44;

/** Types in the catalogue of every database. */
export const int8 = 20;
const parsers: Readonly<Record<number, (bytes: Buffer) => unknown>> = {
  16: (bytes) => bytes[0] === 1, // boolean
  17: (bytes) => bytes, // bytea
  [int8]: (bytes) => Number(bytes.readBigInt64BE(0)),
  21: (bytes) => bytes.readInt16BE(0), // smallint
  23: (bytes) => bytes.readInt32BE(0), // int
  25: (bytes) => bytes.toString(), // text
};

/** Reads a value of a type in binary. */
export function binaryParser(type: number): (bytes: Buffer) => unknown {
  const parser = parsers[type];
  if (parser) return parser;
  return () => {
    throw new Error(`type ${type} cannot be read in binary`);
  };
}

/** Call it once, before the first connection. Results as text are read as before. */
export function readBinaryRows(): void {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- private methods of the driver
  const parser = Parser.prototype as unknown as Handling;
  const handle = parser.handlePacket;
  parser.handlePacket = function (at, code, length, bytes) {
    if (code === dataRow && this.isBinary === true) return rowIn(bytes, at, length);
    const message = handle.call(this, at, code, length, bytes);
    if (code === rowDescription) {
      const [first] = message.fields;
      this.isBinary = first !== undefined && first !== null && 'format' in first && first.format === 'binary';
    }
    return message;
  };
}

/** The driver copies the values, which are views of what the socket read. */
function rowIn(bytes: Buffer, start: number, length: number): Message {
  const fields: (Buffer | null)[] = [];
  let at = start + 2;
  for (let left = bytes.readInt16BE(start); left > 0; left--) {
    const size = bytes.readInt32BE(at);
    at += 4;
    fields.push(size === -1 ? null : bytes.subarray(at, at + Math.max(size, 0)));
    at += Math.max(size, 0);
  }
  return { name: 'dataRow', length, fields };
}
