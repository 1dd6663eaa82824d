/**
 * Returns the address of the other end of a connection, for counting. `X-Forwarded-For` is ignored: any client can
 * write it. An IPv6 address counts by its first 64 bits, because its holder has all addresses that share them.
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
