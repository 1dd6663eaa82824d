/** Recognizes elements that a script will fill. */
import { type Folded, fold } from '../phrases/fold.ts';
import { phrases } from '../phrases/phrases.ts';
import type { Element } from 'domhandler';
import { noAttributes } from '../html/attributes.ts';

/**
 * `mount` is an element on which applications are mounted. `container` is one that a script can fill or leave empty.
 */
export function mountRank(element: Element): 'mount' | 'container' | undefined {
  const { name, attribs } = element;
  if (name === 'main' || name === 'article') return 'mount';
  if (name.includes('-') && !foreignNames.test(name)) {
    if (attribs === noAttributes) return widgetNames.test(name) ? undefined : 'mount';
    return widgetNames.test(`${name} ${namesOf(element)}`) ? undefined : 'mount';
  }
  if (name === 'redoc' || name === 'app' || name === 'root') return 'mount';
  if (attribs === noAttributes || !fillable.has(name)) return undefined;
  const id = attribs['id']?.trim() ?? '';
  if (mountIds.test(id) || Object.keys(attribs).some((attribute) => mountAttributes.has(attribute))) return 'mount';
  if (attribs['role'] === 'main') return 'mount';
  const names = namesOf(element);
  if (widgetNames.test(names)) return undefined;
  if (mountClasses.test(names)) return 'mount';
  return id !== '' || contentClasses.test(names) || hasSource(attribs) ? 'container' : undefined;
}

/**
 * Returns the attribute that binds the element to data or requests its content on page load; undefined if there is
 * none. `isEmpty` means that the element has no text yet.
 */
export function bindingOf({ name, attribs }: Element, isEmpty: boolean): string | undefined {
  if (attribs === noAttributes) return undefined;
  for (const attribute of Object.keys(attribs)) {
    if (listBindings.has(attribute) || (isEmpty && textBindings.has(attribute))) return attribute;
  }
  const data = attribs['data-bind'];
  if (data !== undefined && (isEmpty ? /\b(?:foreach|template|component|html|text)\s*:/ : /\bforeach\s*:/).test(data))
    return 'data-bind';
  if ((attribs['hx-get'] ?? attribs['data-hx-get'] ?? attribs['hx-post']) !== undefined) {
    const trigger = attribs['hx-trigger'] ?? attribs['data-hx-trigger'] ?? '';
    if (/\b(?:load|revealed|intersect|every)\b/.test(trigger)) return 'hx-get';
  }
  const isLazy = lazyElements.has(name) && (attribs['src'] ?? attribs['data-src']) !== undefined;
  return isLazy ? name : undefined;
}

/** Returns true for "Loading..." without other text. */
export function isLoadingText(text: string): boolean {
  return text.length <= loadingLengthMax && saysLoading(text);
}

/** Returns true for an element that is shown until content arrives. */
export function isWaiting({ attribs }: Element): boolean {
  return attribs['aria-busy'] === 'true' || skeletonClasses.test((attribs['class'] ?? '').slice(0, namesMax));
}

/** Returns true for an element that requests consent to cookies. */
export function isConsent(element: Element): boolean {
  return consentNames.test(namesOf(element));
}

const consentNames =
  /(?:cookie|consent|gdpr|ccpa|privacy)[\w-]*(?:banner|bar|notice|box|popup|modal|dialog|wall|layer|message|overlay|manager|consent|law|info|container)|onetrust|usercentrics|didomi|cookiebot|CybotCookie|truste|sp_message|cmp-?(?:container|wrapper|box)|(?:^|\s)(?:cookies?|consent|gdpr|cmp)(?:\s|$)/i;

/** A readable name: `#root`, `<app-root>`, `.content`. */
export function nameOf({ name, attribs }: Element): string {
  const id = attribs['id']?.trim();
  const [first = ''] = (attribs['class'] ?? '').trim().split(/\s+/);
  const text = id ? `#${id}` : name.includes('-') || first === '' ? `<${name}>` : `.${first}`;
  return text.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, nameLengthMax);
}

const nameLengthMax = 40;
/** Characters of names that are checked. */
const namesMax = 500;
const loadingLengthMax = 80;

/** Surrounding white space and full stops are ignored. */
function saysLoading(text: string): boolean {
  const said = fold(text)
    .replace(/^[^\p{L}]{1,3}/u, '')
    .replace(/[^\p{L}\p{N}]{1,6}$/u, '');
  return loading.isLine(said as Folded);
}

const loading = phrases('loading');

const fillable: ReadonlySet<string> = new Set(
  'div section main article ul ol dl table tbody body aside center form'.split(' '),
);

const mountIds =
  /^(?:(?:react|vue|ng|angular|svelte|ember|preact|solid|elm|mithril|polymer|lit|spa|web|client|main|my|single-spa|qwik|nuxt|next|page|site|vite|redux|flutter|notion|grafana|kibana)?[-_]?(?:app|root|application|mount(?:point)?|container|view|outlet)|root|__next|__nuxt|___gatsby|__layout|q-app|svelte|react|vue|ember|elm(?:-app|-main)?|appmount|app-?(?:root|container|mount|main|content|wrapper|body)|root-?(?:app|container|element)?|swagger-ui|redoc(?:-container)?|api-reference|scalar|docs?-?root|graphiql|playground|storybook-root|main|content|main-?(?:content|container|app|view|outlet)|page-?(?:content|container|root)|content-?(?:root|container|main)|outlet|router-?(?:view|outlet)|view(?:port)?|container|wrapper|__docusaurus|board|slides|deck)$/i;

const mountAttributes: ReadonlySet<string> = new Set(
  'ng-app data-ng-app ng-view data-ng-view ui-view data-ui-view ng-include data-reactroot data-react-class data-react-component data-react-props data-vue-component data-v-app data-page data-spec-url spec-url data-svelte data-router-view data-sap-ui-component data-dojo-type data-is v-cloak x-html v-html'.split(
    ' ',
  ),
);

const mountClasses =
  /(?:^|\s)(?:(?:js-|react-|vue-|spa-|ng-)?(?:app|root)(?:-root|-container|-mount)?|react-component|vue-app)(?:\s|$)/i;
const contentClasses =
  /content|main|list|grid|results?|items?|feed|posts?|articles?|products?|cards?|entries|rows|output|target|container|wrapper|body|view|page|data|gallery|catalog|table|docs?|story|stories|news|text|render|component|widget|section/i;

/** Custom elements and containers with other things than content. */
const widgetNames =
  /clear|overlay|backdrop|modal|popup|dialog|drawer|toast|snack|alert|notif|tooltip|fb-root|captcha|turnstile|adsby|advert|banner|sponsor|disqus|comments?|chat|messenger|intercom|convai|back-?to|to-?top|scroll|progress|lightbox|pswp|share|social|button|toggle|switch|search-?(?:box|bar|form|field|icon)|header|footer|sidebar|login|portal|live-?region|announcer|spacer|divider|separator|youtube|vimeo|video|audio|player|model-viewer|relative-time|time-ago|theme|font-face|analytics|tracking|pixel|beacon|countdown|hidden|arrow|shadow|background|gradient|particles|rating|honeypot|translate|breadcrumb|preload|skip-|(?:^|[\s_-])(?:ads?|amp|lite|gcse|google|sl|ion|md|mdui|fluent|maps?|lines?|bars?|dots?|bg|cart|menus?|nav|navbar|logo|icons?|bot|stars?|print|cursor|consent|cookies?|gdpr|cmp)(?:$|[\s_-])/i;

/** Element names of SVG and MathML. */
const foreignNames = /^(?:font-face(?:-\w+)?|color-profile|missing-glyph|annotation-xml)$/;

const listBindings: ReadonlySet<string> = new Set(
  'v-for x-for ng-repeat data-ng-repeat *ngfor each each-item w3-include-html w3-repeat data-include wire:init up-defer ic-trigger-on data-bind-list data-each data-foreach data-w-for rv-each-item dmx-repeat dmx-repeat:repeat'.split(
    ' ',
  ),
);
const textBindings: ReadonlySet<string> = new Set(
  'ng-bind ng-bind-html data-ng-bind v-text v-html x-text x-html'.split(' '),
);
/** Elements that request their own content. */
const lazyElements: ReadonlySet<string> = new Set(['turbo-frame', 'include-fragment', 'lazy-frame', 'html-include']);

const skeletonClasses =
  /(?:^|[\s_-])(?:skeleton|shimmer|placeholder-(?:glow|wave)|spinner|loader|loading|preloader|lds|ghost|splash(?:screen)?)(?:$|[\s_-])/i;

function hasSource(attribs: Element['attribs']): boolean {
  return [
    'data-url',
    'data-src',
    'data-source',
    'data-endpoint',
    'data-api',
    'data-feed',
    'data-component',
    'data-props',
  ].some((name) => attribs[name] !== undefined);
}

function namesOf({ attribs }: Element): string {
  return `${attribs['id'] ?? ''} ${attribs['class'] ?? ''}`.slice(0, namesMax);
}
