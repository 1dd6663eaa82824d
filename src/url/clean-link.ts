/** Cleans the links in a page's text of everything that tracks the reader. Does not change which URLs are fetched. */
import { isTrackingParameter, mayHaveNoise, withoutParameters } from './noise-parameters.ts';

/**
 * Returns the URL without tracking parameters, and the target of a known link wrapper in place of the wrapper. Absolute
 * URL in and out.
 */
export function cleanLink(href: string): string {
  // Most links end here.
  if (!href.includes('?') && !href.startsWith(urlDefense)) return href;
  let clean = href;
  for (let depth = 0; depth < wrappersMax; depth++) {
    const wrapped = wrappedIn(clean);
    if (wrapped === undefined) break;
    clean = wrapped;
  }
  return mayHaveNoise(clean) ? withoutParameters(clean, isTrackingParameter) : clean;
}

/** Wrappers can be nested: forwarded mail. */
const wrappersMax = 3;
const urlDefense = 'https://urldefense.com/v3/__';

/**
 * Redirect services, as they document their links: host (a leading `.` means any subdomain), path, and the parameter
 * that holds the target.
 */
const wrappers: readonly (readonly [host: string, path: string, parameter: string])[] = [
  ['.safelinks.protection.outlook.com', '/', 'url'],
  ['statics.teams.cdn.office.net', '/evergreen-assets/safelinks/', 'url'],
  ['www.google.com', '/url', 'q'],
  ['www.google.com', '/url', 'url'],
  ['l.facebook.com', '/l.php', 'u'],
  ['lm.facebook.com', '/l.php', 'u'],
  ['l.instagram.com', '/', 'u'],
  ['www.youtube.com', '/redirect', 'q'],
  ['out.reddit.com', '/', 'url'],
  ['slack-redir.net', '/link', 'url'],
  ['steamcommunity.com', '/linkfilter/', 'u'],
  ['steamcommunity.com', '/linkfilter/', 'url'],
  ['www.linkedin.com', '/redir/', 'url'],
  ['vk.com', '/away.php', 'to'],
  ['link.zhihu.com', '/', 'target'],
  ['duckduckgo.com', '/l/', 'uddg'],
  ['t.umblr.com', '/redirect', 'z'],
  ['linkprotect.cudasvc.com', '/url', 'a'],
];
const wrapperHosts: ReadonlySet<string> = new Set(wrappers.map(([host]) => host));

function wrappedIn(href: string): string | undefined {
  if (href.startsWith(urlDefense)) return defended(href);
  const host = /^https?:\/\/([^/?#]{1,255})/.exec(href)?.[1] ?? '';
  const parent = host.slice(host.indexOf('.'));
  if (!wrapperHosts.has(host) && !wrapperHosts.has(parent)) return undefined;
  const url = URL.parse(href);
  for (const [name, path, parameter] of wrappers) {
    if ((name !== host && name !== parent) || url === null || !url.pathname.startsWith(path)) continue;
    const target = webAddress(url.searchParams.get(parameter));
    if (target !== undefined) return target;
  }
  return undefined;
}

/** Parses `__URL__;`, where `*` replaces characters that mail breaks. URLs with a `*` stay unchanged. */
function defended(href: string): string | undefined {
  const end = href.indexOf('__;', urlDefense.length);
  const target = end === -1 ? '' : href.slice(urlDefense.length, end);
  return target.includes('*') ? undefined : webAddress(target.replace(/^(https?):\/(?!\/)/, '$1://'));
}

function webAddress(text: string | null): string | undefined {
  if (text === null || !/^https?:\/\/./i.test(text)) return undefined;
  return URL.parse(text)?.href;
}
