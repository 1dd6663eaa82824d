// Numbers, times and URLs as people read them.

const whole = new Intl.NumberFormat('en');
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });
const dateTime = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' });

export function count(value: number): string {
  return whole.format(value);
}

/** A short form of large numbers, for narrow places. */
export function shortCount(value: number): string {
  return value < 100_000 ? whole.format(value) : compact.format(value);
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

export function changesText({
  added,
  changed,
  removed,
}: Readonly<Record<'added' | 'changed' | 'removed', number>>): string {
  return `${count(added)} added, ${count(changed)} changed, ${count(removed)} removed`;
}

export function duration(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${String(seconds % 60).padStart(2, '0')} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${String(minutes % 60).padStart(2, '0')} min`;
  return `${Math.floor(hours / 24)} days`;
}

export function relativeTime(at: number, now: number): string {
  if (at > now + 10_000) return `in ${duration(at - now)}`;
  const seconds = Math.max(0, Math.round((now - at) / 1000));
  if (seconds < 10) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 48 * 3600) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86_400)} days ago`;
}

export function exactTime(at: number): string {
  return dateTime.format(at);
}

export function utcTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

export function rate(perSecond: number): string {
  if (perSecond >= 100) return count(Math.round(perSecond));
  return perSecond >= 0.05 || perSecond === 0 ? perSecond.toFixed(1) : '< 0.1';
}

export function bytes(value: number): string {
  if (value < 1024) return `${value} B`;
  const units = ['KiB', 'MiB', 'GiB', 'TiB'];
  let amount = value / 1024;
  let unit = 0;
  while (amount >= 1024 && unit < units.length - 1) {
    amount /= 1024;
    unit++;
  }
  return `${amount < 10 ? amount.toFixed(1) : Math.round(amount)} ${units[unit]}`;
}

/** A URL without its scheme; as it is if it is none. */
export function shortUrl(url: string): string {
  return url.replace(/^https?:\/\//, '').replace(/\/$/, '');
}

/** The two parts of a URL that people tell jobs by. */
export function partsOf(url: string): { readonly host: string; readonly path: string } {
  const [host = url, ...rest] = shortUrl(url).split('/');
  return { host, path: rest.length === 0 ? '' : `/${rest.join('/')}` };
}

/** Path and query of a URL. */
export function pathOf(url: string): string {
  try {
    const { pathname, search } = new URL(url);
    return pathname + search;
  } catch {
    return url;
  }
}

/** Codes such as `off_host` in words. */
export function words(code: string): string {
  return code.replaceAll('_', ' ').replace(/^http\b/, 'HTTP');
}

/** The most frequent first. */
export function sortedReasons(reasons: Readonly<Record<string, number>>): readonly (readonly [string, number])[] {
  return Object.entries(reasons).toSorted(([, one], [, other]) => other - one);
}
