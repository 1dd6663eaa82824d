// Parses content negotiation headers of a client.

/** Weak comparison (RFC 9110, 13.1.2). */
export function matchesTag(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  if (header.trim() === '*') return true;
  const opaque = tag.replace(/^W\//, '');
  return header.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === opaque);
}

/** True if gzip is named, or covered by `*`, with a weight above zero (RFC 9110, 12.5.3). */
export function acceptsGzip(acceptEncoding = ''): boolean {
  const codings = new Map<string, boolean>();
  for (const part of acceptEncoding.split(',')) {
    const [name = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
    codings.set(name, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)));
  }
  return codings.get('gzip') ?? codings.get('x-gzip') ?? codings.get('*') ?? false;
}
