/**
 * Returns true for a host name under which a cloud serves credentials. It is refused whatever networks the operator
 * opened, as are the addresses, and the name is not even resolved.
 */
export function isMetadataName(hostname: string): boolean {
  return metadataNames.has(withoutRootDot(hostname));
}

/**
 * Returns true for a host name that no public site has, so that it is refused before it is resolved. Addresses are
 * judged in any case: this only saves the lookup, and hides which internal names exist. Do not call it when private
 * networks are open, because their hosts have such names.
 */
export function isPrivateName(hostname: string): boolean {
  const name = withoutRootDot(hostname);
  return suffixes.some((suffix) => name.endsWith(suffix) || name === suffix.slice(1));
}

/**
 * Returns true for a name that a site of the web can have: of two labels at least, and with no ending of private
 * networks. Names that only a proxy resolves have no address to judge.
 */
export function isWebName(hostname: string): boolean {
  const name = withoutRootDot(hostname);
  if (name.split('.').includes('')) return false;
  return name.includes('.') && !isPrivateName(name) && !isMetadataName(name) && !isLocalhost(name);
}

/** Returns true if the name always means this machine (RFC 6761, 6.3). */
export function isLocalhost(hostname: string): boolean {
  const name = withoutRootDot(hostname);
  return name === 'localhost' || name.endsWith('.localhost');
}

const metadataNames: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'instance-data',
  'instance-data.ec2.internal',
]);
/** Of RFC 6761, 6762 and 8375, and those that routers and Kubernetes use; `.local` covers its `.cluster.local`. */
const suffixes = ['.local', '.internal', '.localdomain', '.home.arpa', '.lan', '.svc'] as const;

/** `localhost.` and `localhost` are one name. */
function withoutRootDot(hostname: string): string {
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
}
