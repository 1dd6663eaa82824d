// pdf.js does not limit the size of decoded streams: 2 MB of Flate can become 2 GB, outside V8's heap. This file
// patches a limit into its code, wherever it stores decoded bytes (docs/decisions/linked-files.md).

/** Export that {@link boundDecoding} adds to pdf.js. */
export interface DecodingBudget {
  /** Sets the budget for all streams together from now on. Bytes beyond it are discarded with an error. */
  begin(bytesMax: number): void;
  /** True if the streams decoded since then exceeded the budget. */
  readonly isSpent: boolean;
}

/** Each piece occurs exactly once in pdf.js. If one does not, an update changed that code: find its new form. */
const pieces: readonly (readonly [what: string, before: string, after: string])[] = [
  [
    'the buffer of any stream grows (Flate, LZW, run lengths, predictors, ASCII, decryption, sequences)',
    'let n=this.minBufferLength;for(;n<e;)n*=2;let r=new Uint8Array(n);return r.set(t)',
    'let n=this.minBufferLength;for(;n<e;)n*=2;countDecoded(n-t.byteLength);let r=new Uint8Array(n);return r.set(t)',
  ],
  [
    'a whole stream is unpacked by the platform',
    'let{readable:n,writable:r}=new DecompressionStream(e),i=r.getWriter();await i.ready,i.write(t).then(async()=>{await i.ready,await i.close()}).catch(()=>{});let a=[],o=0;for await(let e of n)a.push(e),o+=e.byteLength;let s=new Uint8Array(o),c=0;for(let e of a)s.set(e,c),c+=e.byteLength;return{decompressed:s,compressed:t}',
    'return{decompressed:unpackBounded(e,t),compressed:t}',
  ],
  [
    'Brotli without the platform',
    'decompress(n),r+=n.outputUsed,n.outputUsed<16384)break',
    'decompress(n),countDecoded(n.outputUsed),r+=n.outputUsed,n.outputUsed<16384)break',
  ],
  [
    'a picture is taken for text: 65,535 by 65,535 pixels need 12 GB',
    'ensureBuffer(e){}readBlock(){this.decodeImage()}',
    'ensureBuffer(e){}readBlock(){throw Error(`a picture is no text`)}',
  ],
  [
    'text is read with the family of its font: its name says whether it is code, or bold',
    '_.styles[t]={fontFamily:e.fallbackName,',
    '_.styles[t]={name:e.name,fontFamily:e.fallbackName,',
  ],
  [
    'a glyph without a letter gets that of its number: in fonts of two bytes, these are other letters. 3 is the usual space',
    'c=this.toUnicode.get(e)||e;typeof c==',
    'c=this.toUnicode.get(e)||(this.composite?e===3?" ":`\ufffd`:e);typeof c==',
  ],
  [
    'soft hyphens are left out: one that is drawn with a width is a hyphen',
    'if(c.isInvisibleFormatMark)continue;',
    'if(c.isInvisibleFormatMark&&!(s.unicode===`\u00ad`&&s.width>0))continue;',
  ],
  [
    'the text below annotations is looked for: each page is read twice for it, and their boxes are all that is needed',
    ':n.overlaysTextContent&&r&&d.push(n)}',
    ':0}',
  ],
];

/**
 * Unpacks each stream in one call: `DecompressionStream` returns pieces of 16 KiB, and malloc keeps most of their
 * memory (100 MB after a 64 MiB bomb). pdf.js uses the whole underlying buffer of the result, from first byte to last.
 */
const counter = `
import{brotliDecompressSync,inflateSync}from"node:zlib";
let decodedBytesLeft=0;
function countDecoded(bytes){decodedBytesLeft-=bytes;if(decodedBytesLeft<0)throw Error("the budget of decoded bytes is spent")}
function unpackBounded(format,packed){
  const unpack=format==="brotli"?brotliDecompressSync:inflateSync;
  const chunkSize=Math.min(Math.max(packed.length*4,16384),4194304);
  let bytes;
  try{bytes=unpack(packed,{chunkSize,maxOutputLength:Math.max(decodedBytesLeft,1)})}
  catch(error){if(error.code==="ERR_BUFFER_TOO_LARGE")countDecoded(Infinity);throw error}
  countDecoded(bytes.length);
  return bytes.length===bytes.buffer.byteLength?new Uint8Array(bytes.buffer):new Uint8Array(bytes);
}
export const decodingBudget={begin(bytesMax){decodedBytesLeft=bytesMax},get isSpent(){return decodedBytesLeft<0}};
`;

/**
 * Adds a budget of decoded bytes to the source of unpdf's `pdfjs.mjs`. Throws if the source is not the code that the
 * patches expect.
 */
export function boundDecoding(source: string): string {
  return (
    pieces.reduce((bounded, [what, before, after]) => {
      const [head = '', tail, ...more] = bounded.split(before);
      if (tail === undefined || more.length > 0) {
        throw new Error(`pdf.js has changed where ${what}. Adapt src/documents/pdf/bound-pdfjs.ts.`);
      }
      return head + after + tail;
    }, source) + counter
  );
}
