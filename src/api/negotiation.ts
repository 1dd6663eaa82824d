// What a client's headers ask for.

/** RFC 9110, 13.1.2: the weak comparison. */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const opaque = tag.slice(2);
  return header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === opaque);
}

/** RFC 9110, 12.5.3: named, or meant by `*`, and not at weight zero. */
export function acceptsGzip(acceptEncoding = ''): boolean {
  const codings = new Map<string, boolean>();
  for (const part of acceptEncoding.split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    codings.set(name, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)));
  }
  return codings.get('gzip') ?? codings.get('x-gzip') ?? codings.get('*') ?? false;
}
