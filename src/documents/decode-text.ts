import { mediaType } from '../core/media-type.ts';

/** Bytes to text: byte order mark, charset of the header, XML declaration, UTF-8 where it is valid, windows-1252. */
export function decodeText(bytes: Uint8Array, contentType = ''): string {
  const label = markOf(bytes) ?? charsetOf(contentType) ?? declaredIn(bytes, contentType);
  const decoder = label === undefined ? undefined : decoderOf(label);
  if (decoder) return decoder.decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

export function decoderOf(label: string): InstanceType<typeof TextDecoder> | undefined {
  try {
    return new TextDecoder(label);
  } catch {
    return undefined;
  }
}

function markOf([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined;
}

function charsetOf(contentType: string): string | undefined {
  return /;\s*charset\s*=\s*["']?\s*([^"';\s]+)/i.exec(contentType)?.[1];
}

function declaredIn(bytes: Uint8Array, contentType: string): string | undefined {
  if (mediaType(contentType) === 'text/plain') return undefined;
  const start = new TextDecoder('windows-1252').decode(bytes.subarray(0, 200));
  return /^\s*<\?xml\s[^>]*encoding\s*=\s*["']([\w.:-]+)["']/.exec(start)?.[1];
}
