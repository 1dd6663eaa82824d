// One page of the set: what the server sends, and whether its text is there without a browser.

export interface TestPage {
  /** Also the directory it is served from. */
  readonly name: string;
  /** Its text is written by scripts. */
  readonly needsBrowser: boolean;
  /** `assets`: the addresses of its scripts, in the order of `scripts`. */
  html(assets: readonly string[]): string | Promise<string>;
  /** Sources that esbuild bundles; `.jsx` with React's runtime. */
  readonly scripts?: readonly string[];
  /** Files that are served as they are, by path below the page. */
  readonly files?: Readonly<Record<string, string>>;
  /** Files of packages that are served as they are, by path below the page. */
  readonly packageFiles?: Readonly<Record<string, string>>;
  /** esbuild's `define`, `alias` and the like, where a framework needs them. */
  readonly jsxImportSource?: string;
}

export interface Item {
  readonly id: number;
  readonly title: string;
  readonly text: string;
}

const nouns = 'rake barn meadow harvest orchard hedge plough windmill granary pasture stable furrow'.split(' ');
const verbs = 'leans against,stands beside,was rebuilt near,belongs to,overlooks,is older than,feeds'.split(',');

/** Always the same ones. */
export const items: readonly Item[] = nouns.map((noun, id) => ({
  id,
  title: `The ${noun} of the valley`,
  text: [0, 1, 2]
    .map((line) => {
      const verb = verbs[(id * 3 + line) % verbs.length] ?? '';
      const other = nouns[(id * 5 + line * 3 + 1) % nouns.length] ?? '';
      return `In year ${1800 + id * 7 + line} the ${noun} ${verb} the ${other}, as the parish book tells on page ${id * 11 + line}.`;
    })
    .join(' '),
}));

export const itemsJson = JSON.stringify(items);

export const article = items.map(({ title, text }) => `<h2>${title}</h2><p>${text}</p>`).join('');

/** What production pages carry besides their content. */
export const tagManager = `<script>(function(w,d,s,l,i){w[l]=w[l]||[];w[l].push({'gtm.start':new Date().getTime(),event:'gtm.js'});var f=d.getElementsByTagName(s)[0],j=d.createElement(s);j.async=true;j.src='https://www.googletagmanager.com/gtm.js?id='+i;f.parentNode.insertBefore(j,f);})(window,document,'script','dataLayer','GTM-ABC1234');</script>`;
export const tagManagerNoscript = `<noscript><iframe src="https://www.googletagmanager.com/ns.html?id=GTM-ABC1234" height="0" width="0" style="display:none;visibility:hidden"></iframe></noscript>`;
export const analytics = `<script async src="https://www.googletagmanager.com/gtag/js?id=G-12345"></script><script>window.dataLayer=window.dataLayer||[];function gtag(){dataLayer.push(arguments)}gtag('js',new Date());gtag('config','G-12345');</script>`;
export const cookieBanner = `<div id="cookie-banner" class="cookie-consent" role="dialog" aria-label="Cookies"><p>We and our partners store and read information on a device, such as cookies, and process personal data, such as identifiers, to show you advertisements and content, to measure both, and to learn about our audience. You can change your choice at any time. With your permission we and our partners may use precise location data and identify you by scanning your device. You can click to agree to the processing as described above, or refuse it, or look at details first. Some processing does not need your consent, but you have a right to object to it.</p><button>Accept all</button><button>Reject all</button><a href="/privacy">Privacy policy</a></div>`;
export const topMenu = `<header class="site-header"><a href="/" class="logo">Valley Archive</a><nav><ul><li><a href="/places">Places</a></li><li><a href="/people">People</a></li><li><a href="/maps">Maps</a></li><li><a href="/contact">Contact</a></li></ul></nav></header>`;
export const pageFooter = `<footer class="site-footer"><p>© 2026 Valley Archive. All rights reserved.</p><ul><li><a href="/imprint">Imprint</a></li><li><a href="/privacy">Privacy</a></li></ul></footer>`;

/** A document with the head that build tools write. */
export function documentOf(head: string, body: string, title = 'Valley Archive', htmlAttributes = 'lang="en"'): string {
  return `<!doctype html><html ${htmlAttributes}><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1"><title>${title}</title><meta name="description" content="Places and people of the valley, from the parish books."><link rel="icon" href="data:,">${head}</head>${body.startsWith('<body') || body.startsWith('<frameset') ? body : `<body>${body}</body>`}</html>`;
}

export function scriptTags(assets: readonly string[], attributes = 'type="module" crossorigin'): string {
  return assets.map((asset) => `<script ${attributes} src="${asset}"></script>`).join('');
}
