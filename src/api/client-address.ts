/**
 * Who is at the other end of a connection, for counting. `X-Forwarded-For` is not looked at: anybody can write it. Of an
 * IPv6 address the first 64 bits count, since whoever has one has all that share them.
 */
export function clientAddress({ remoteAddress = '' }: { readonly remoteAddress?: string | undefined }): string {
  const address = remoteAddress.replace(/^::ffff:(?=\d+\.)/i, '');
  if (!address.includes(':')) return address;
  const [head = '', tail] = address.split('%', 1)[0]?.split('::') ?? [];
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - groups.length - rest.length);
  return [...groups, ...Array.from({ length: zeros }, () => '0'), ...rest].slice(0, 4).join(':');
}
