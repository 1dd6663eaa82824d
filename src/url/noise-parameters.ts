/** Query parameters that identify the visitor or the source of a click, and never the content. Names are lower case. */

/** Campaigns and clicks, as documented by the tools that add them. */
const trackingPrefixes = ['utm_', 'mtm_', '__hs'];

const google = 'gclid gclsrc dclid gbraid wbraid gad_source gad_campaignid srsltid _ga _gl';
const otherNetworks = 'fbclid igshid msclkid twclid ttclid li_fat_id epik yclid _openstat';
const mailAndAnalytics =
  'mc_eid mc_cid _hsenc _hsmi hsctatracking mkt_tok vero_id vero_conv oly_enc_id oly_anon_id wickedid s_cid _kx ' +
  'pk_campaign pk_kwd pk_keyword pk_source pk_medium pk_content pk_cid';
const trackingNames = new Set(`${google} ${otherNetworks} ${mailAndAnalytics}`.split(' '));

/** Names that mean a session everywhere. */
const sessionNames = new Set(['phpsessid', 'jsessionid', 'oscsid', 'cftoken']);
const sessionPrefix = 'aspsessionid';

/**
 * Names that mean a session on some sites and an object on others, with the value length from which they count as a
 * session.
 */
const sessionNamesIfToken = new Map([
  // Session ids of PHP (Java's have 32): longer than words, numbers and the 24 digits of a MongoDB id.
  ['sid', 26],
  ['zenid', 26],
  ['sessid', 16],
  ['sessionid', 16],
  ['session_id', 16],
]);

/**
 * Returns true if a URL can contain such a parameter. One pass without splitting, because most URLs contain none. False
 * positives are possible.
 */
export function mayHaveNoise(href: string): boolean {
  return noise.test(href);
}

/**
 * Returns the URL without the parameters of its query that are left out; the others stay byte for byte. Names come in
 * lower case, values as in the URL.
 */
export function withoutParameters(href: string, isLeftOut: (name: string, value: string) => boolean): string {
  const fragmentAt = href.indexOf('#');
  const end = fragmentAt === -1 ? href.length : fragmentAt;
  const queryAt = href.indexOf('?');
  if (queryAt === -1 || queryAt > end) return href;
  const parameters = href.slice(queryAt + 1, end).split('&');
  const kept = parameters.filter((parameter) => {
    const equalsAt = parameter.indexOf('=');
    const name = (equalsAt === -1 ? parameter : parameter.slice(0, equalsAt)).toLowerCase();
    return !isLeftOut(name, equalsAt === -1 ? '' : parameter.slice(equalsAt + 1));
  });
  if (kept.length === parameters.length) return href;
  return href.slice(0, queryAt) + (kept.length === 0 ? '' : `?${kept.join('&')}`) + href.slice(end);
}

/** `name` in lower case. */
export function isTrackingParameter(name: string): boolean {
  return trackingNames.has(name) || trackingPrefixes.some((prefix) => name.startsWith(prefix));
}

/** `name` in lower case, `value` as in the URL. */
export function isSessionParameter(name: string, value: string): boolean {
  if (sessionNames.has(name) || name.startsWith(sessionPrefix)) return true;
  return isRandomToken(value, sessionNamesIfToken.get(name) ?? Number.POSITIVE_INFINITY);
}

/** Mixed letters and digits, without the hyphens of a UUID, because UUIDs name objects. */
function isRandomToken(value: string, lengthMin: number): boolean {
  return value.length >= lengthMin && /^[a-z0-9]{1,128}$/i.test(value) && /[0-9]/.test(value) && /[a-z]/i.test(value);
}

const noise = new RegExp(
  `[?&](?:${[...trackingPrefixes, sessionPrefix].join('|')}|` +
    `(?:${[...trackingNames, ...sessionNames, ...sessionNamesIfToken.keys()].join('|')})(?:[=&]|$))|;jsessionid=`,
  'i',
);
