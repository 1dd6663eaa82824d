/**
 * The unit of politeness and of robots.txt: `name:port`, with the effective port. `http` and `https` are two hosts, as
 * they are two authorities in RFC 9309 (2.3): with a port that is usual for the other one, the scheme stands before it.
 * An IPv6 name keeps its brackets.
 */
export function hostKey(url: URL): string {
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  const scheme = url.protocol === usualScheme(port) ? '' : `${url.protocol}//`;
  return `${scheme}${hostName(url)}:${port}`;
}

/** A URL of the host with this key: it has the name, the port and the scheme. */
export function urlOfHost(host: string): URL {
  const port = host.slice(host.lastIndexOf(':') + 1);
  return new URL(host.includes('//') ? host : `${usualScheme(port)}//${host}`);
}

function usualScheme(port: string): string {
  return port === '443' ? 'https:' : 'http:';
}

/** The host name without a trailing dot: `example.com.` is served by the machine that serves `example.com`. */
export function hostName(url: URL): string {
  const name = url.hostname;
  return name.endsWith('.') ? name.slice(0, -1) : name;
}
