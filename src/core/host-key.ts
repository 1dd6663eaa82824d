/**
 * The unit of politeness and of robots.txt: `name:port`, with the effective port. `http` and `https` on their default
 * ports are two hosts, as they are two authorities in RFC 9309 (2.3). An IPv6 name keeps its brackets.
 */
export function hostKey(url: URL): string {
  return `${hostName(url)}:${url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port}`;
}

/** The host name without a trailing dot: `example.com.` is served by the machine that serves `example.com`. */
export function hostName(url: URL): string {
  const name = url.hostname;
  return name.endsWith('.') ? name.slice(0, -1) : name;
}
