import { hash } from 'node:crypto';

export type ProxyRule = 'sticky' | 'round_robin';

/** Returns the proxy for a connection to a host. `sticky`: a host always has the same one. `round_robin`: each in turn. */
export function proxyChoice<Proxy>(proxies: readonly [Proxy, ...Proxy[]], rule: ProxyRule): (host: string) => Proxy {
  let turn = 0;
  return (host) => {
    const at = rule === 'sticky' ? Number.parseInt(hash('sha256', host, 'hex').slice(0, 8), 16) : turn++;
    return proxies[at % proxies.length] ?? proxies[0];
  };
}
