/** Classifies a `<script>` by its address and its first lines. */
import type { Element } from 'domhandler';
import { isText } from 'domhandler';

/**
 * `data` is not run. `template` is text from which a script creates elements. `service` is analytics, advertising, a
 * consent dialog, or a library that does nothing by itself. `code` is everything else: it can write the page.
 */
export type ScriptKind = 'data' | 'template' | 'service' | 'code';

export function scriptKind(script: Element): ScriptKind {
  const type = (script.attribs['type'] ?? '').trim().toLowerCase();
  if (templateType.test(type)) return 'template';
  if (type !== '' && type !== 'module' && !runType.test(type)) return 'data';
  const source = script.attribs['src'];
  if (source !== undefined) return serviceSource.test(source.slice(0, sourceMax)) ? 'service' : 'code';
  const code = scriptCode(script);
  if (code.trim() === '') return 'data';
  return serviceCode.test(code) && !writingCode.test(code) ? 'service' : 'code';
}

/** Returns the beginning of an inline script. */
export function scriptCode({ children: [text] }: Element): string {
  return text !== undefined && isText(text) ? text.data.slice(0, codeMax) : '';
}

/** Detects `document.write`. Called for scripts of kind `code` only, so advertising tags do not count. */
export function isWriting(code: string): boolean {
  return /\bdocument\.write(?:ln)?\s*\(/.test(code);
}

/** Returns true if the script redirects at once. */
export function isRedirecting(code: string): boolean {
  return code.length < redirectCodeMax && redirect.test(code);
}

const sourceMax = 2_000;
const codeMax = 20_000;
const redirectCodeMax = 2_000;

/** Babel and Cloudflare's Rocket Loader run scripts with types of their own. */
const runType =
  /^(?:[0-9a-f]+-)?(?:text|application)\/(?:x-)?(?:java|ecma)script\b|^(?:text|application)\/(?:babel|jsx|typescript|tsx)$|^[0-9a-f]+-(?:module)?$/;
const templateType =
  /^text\/(?:x-)?(?:template|handlebars(?:-template)?|mustache|ng-template|tmpl|jquery-tmpl|underscore|dot|ejs|html|markdown|md|knockout)|^(?:x-)?(?:template|tmpl)|^text\/x-[a-z-]*t(?:emplate|mpl)/;

const serviceSource = new RegExp(
  [
    String.raw`googletagmanager|google-analytics|/gtag/|/gtm\.js|googlesyndication|adsbygoogle|doubleclick|googleadservices|amazon-adsystem|taboola|outbrain|criteo`,
    String.raw`plausible|umami|matomo|piwik|fathom|goatcounter|hotjar|clarity\.ms|segment\.(?:com|io)|mixpanel|amplitude|fullstory|mouseflow|chartbeat|quantserve|scorecardresearch|statcounter|yandex\.ru/metrika|hm\.baidu|beacon\.min\.js|cloudflareinsights|stats\.wp\.com|static\.ads`,
    String.raw`connect\.facebook|fbevents|platform\.twitter|snap\.licdn|analytics\.tiktok|pinimg|addthis|sharethis|addtoany`,
    String.raw`cookiebot|onetrust|cookielaw|usercentrics|cookieyes|iubenda|didomi|trustarc|quantcast|klaro|cookie-?consent|tarteaucitron|osano|borlabs`,
    String.raw`intercom|crisp\.chat|tawk\.to|zdassets|zendesk|livechat|drift\.com|hs-scripts|hsforms|hubspot|tidio|olark|freshchat`,
    String.raw`newrelic|nr-data|sentry|bugsnag|datadog|rollbar|raygun|optimizely|vwo\.com|recaptcha|hcaptcha|challenges\.cloudflare|disqus`,
    String.raw`email-decode|rocket-loader|typekit|fonts\.|html5shiv|respond(?:\.min)?\.js|modernizr|polyfill|picturefill|lazysizes|webfont|es5-shim|zone\.js`,
    String.raw`/(?:jquery|bootstrap|popper|underscore|lodash|moment|prism|highlight|fontawesome)(?:[.-][\d.]+)?(?:[.-](?:slim|bundle|core|ui|migrate|pack))*(?:\.min)?\.js`,
  ].join('|'),
  'i',
);
const serviceCode =
  /\bgtag\s*\(|dataLayer|_gaq|_paq|\bfbq\s*\(|GoogleAnalyticsObject|google_analytics|hotjar|_hjSettings|clarity|plausible|mixpanel|amplitude|NREUM|_hsq|adsbygoogle|googletag|OneTrust|Cookiebot|cookieconsent|Intercom|\$crisp|Tawk_API|_linkedin_partner|ym\s*\(|_hmt|document\.documentElement\.class(?:Name|List)|WebFont|lazySizes|emoji/i;
const writingCode =
  /innerHTML|insertAdjacentHTML|outerHTML|replaceChildren|document\.write|\.mount\(|\.render\(|\.bootstrap\(|applyBindings|createApp|createRoot|hydrateRoot|ReactDOM|new\s+Vue\b|angular\.module|fetch\(|XMLHttpRequest|\$\.(?:ajax|get|getJSON|post)\b|\.load\(|axios|\bimport\s*\(/;
const redirect =
  /(?:^|[^\w.])(?:(?:window|document|self|top|parent)\s*\.\s*)?location\s*(?:\.\s*href\s*)?=(?!=)|location\s*\.\s*(?:replace|assign)\s*\(/;
