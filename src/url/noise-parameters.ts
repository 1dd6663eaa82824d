/** Query parameters that say who follows a link and from where, and never what is behind it. Names are lower case. */

/** Campaigns and clicks, as the tools that add them document it. */
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

/** Names that mean a session on some sites and an object on others, with the characters from which on it is one. */
const sessionNamesIfToken = new Map([
  // What PHP gives out (Java 32): longer than words, numbers and the 24 digits of a MongoDB id.
  ['sid', 26],
  ['zenid', 26],
  ['sessid', 16],
  ['sessionid', 16],
  ['session_id', 16],
]);

/** Whether a URL may hold such a parameter: one pass without splitting, since most URLs hold none. May say yes in vain. */
export function mayHaveNoise(href: string): boolean {
  return noise.test(href);
}

/** `name` in lower case. */
export function isTrackingParameter(name: string): boolean {
  return trackingNames.has(name) || trackingPrefixes.some((prefix) => name.startsWith(prefix));
}

/** `name` in lower case, `value` as it stands in the URL. */
export function isSessionParameter(name: string, value: string): boolean {
  if (sessionNames.has(name) || name.startsWith(sessionPrefix)) return true;
  return isRandomToken(value, sessionNamesIfToken.get(name) ?? Number.POSITIVE_INFINITY);
}

/** Letters and digits mixed, without the hyphens of a UUID, since those name objects. */
function isRandomToken(value: string, lengthMin: number): boolean {
  return value.length >= lengthMin && /^[a-z0-9]{1,128}$/i.test(value) && /[0-9]/.test(value) && /[a-z]/i.test(value);
}

const noise = new RegExp(
  `[?&](?:${[...trackingPrefixes, sessionPrefix].join('|')}|` +
    `(?:${[...trackingNames, ...sessionNames, ...sessionNamesIfToken.keys()].join('|')})(?:[=&]|$))|;jsessionid=`,
  'i',
);
