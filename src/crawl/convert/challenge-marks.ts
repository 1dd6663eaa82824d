// Pages by which firewalls test whether a person is there. Each mark is a name that only such a page has, inside a tag or a script:
// never a sentence, and nothing that the firewall writes into ordinary pages too.
import { countWords } from '../../extract/text/count-words.ts';

/** In attributes: ids, names, addresses of scripts and frames. */
const inTags: Readonly<Record<string, readonly string[]>> = {
  anubis: ['anubis_version', 'anubis_challenge', String.raw`\.within\.website/x/cmd/anubis/`],
  ddosGuard: [String.raw`/\.well-known/ddos-guard/js-challenge`, String.raw`check\.ddos-guard\.net/`, 'ddg-l10n-'],
  cloudflare: [
    'cf-browser-verification',
    'jschl[-_](?:vc|answer)',
    'cf[-_]chl[-_]',
    String.raw`/cdn-cgi/l/chk_`,
    String.raw`/cdn-cgi/challenge-platform/\S*orchestrate/`,
    'id=["\']?challenge-form',
  ],
  aws: ['id=["\']?challenge-container'],
  akamai: ['/_sec/cp_challenge/', 'sec-if-cpt-container', '[?&]bm-verify='],
  perimeterX: ['px-captcha'],
  dataDome: [String.raw`geo\.captcha-delivery\.com/`],
};
/** Names of variables. */
const inScripts: Readonly<Record<string, readonly string[]>> = {
  cloudflare: ['_cf_chl_opt'],
  aws: ['gokuProps'],
  sucuri: ['sucuri_cloudproxy_js'],
  dataDome: [String.raw`\bdd=\{'rt'`],
};

const inFrames = { incapsula: ['_Incapsula_Resource'] };

const anyOf = (table: Readonly<Record<string, readonly string[]>>): string => Object.values(table).flat().join('|');
const marks = new RegExp(
  [
    `<[a-z][^<>]*(?:${anyOf(inTags)})`,
    `<iframe\\b[^<>]*(?:${anyOf(inFrames)})`,
    `<script\\b[^<>]*>[^<]*(?:${anyOf(inScripts)})`,
  ].join('|'),
  'i',
);

/** Such pages are short: what they show, a script writes. In bytes, and words of text. */
const lengthMax = 200_000;
const wordsMax = 150;
/** No text of so many words is longer. */
const textLengthMax = 6_000;

/** An article that quotes the marks has more words, or writes them as text. */
export function isChallengePage(html: Buffer, plainText: string): boolean {
  if (html.length > lengthMax || plainText.length > textLengthMax) return false;
  return countWords(plainText) < wordsMax && marks.test(html.toString());
}
