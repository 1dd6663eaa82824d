/**
 * Whether a host name is one that no public site has, so that it is refused before anything is resolved. The addresses
 * are judged all the same: this only saves the question, and hides from the outside which inner names exist.
 */
export function isPrivateName(hostname: string): boolean {
  const name = withoutRootDot(hostname);
  return names.has(name) || suffixes.some((suffix) => name.endsWith(suffix));
}

/** Whether the name always means this machine (RFC 6761, 6.3). */
export function isLocalhost(hostname: string): boolean {
  return withoutRootDot(hostname) === 'localhost';
}

const names = new Set(['localhost', 'metadata', 'internal', 'local']);
const suffixes = ['.localhost', '.local', '.internal', '.cluster.local'] as const;

/** `localhost.` and `localhost` are one name. */
function withoutRootDot(hostname: string): string {
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
}
