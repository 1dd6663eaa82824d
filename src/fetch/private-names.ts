/**
 * Whether a host name is one under which clouds hand out credentials. Refused whatever the operator reopened: so are the
 * addresses, and the name is not even asked for.
 */
export function isMetadataName(hostname: string): boolean {
  return metadataNames.has(withoutRootDot(hostname));
}

/**
 * Whether a host name is one that no public site has, so that it is refused before anything is resolved. The addresses
 * are judged all the same: this only saves the question, and hides from the outside which inner names exist. Not to be
 * asked where private networks are reopened, since their hosts have such names.
 */
export function isPrivateName(hostname: string): boolean {
  const name = withoutRootDot(hostname);
  return suffixes.some((suffix) => name.endsWith(suffix) || name === suffix.slice(1));
}

/** Whether the name always means this machine (RFC 6761, 6.3). */
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
/** Kubernetes' `.cluster.local` is among them. */
const suffixes = ['.local', '.internal'] as const;

/** `localhost.` and `localhost` are one name. */
function withoutRootDot(hostname: string): string {
  return hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
}
