/** What the names that authors give to elements say of them: words of `class` and `id`, in several languages. */

/**
 * `navigation` leads elsewhere, however much of the page it is; `surrounding` is never content; `comments` are content only where the page is a discussion; `reviews` only where it is
 * not about a product; `attribution` (author, date) is in the metadata already, except that of posts; `details` are
 * buttons, labels and counts. Of the last two, only short ones are meant.
 */
export type NameGroup = 'navigation' | 'surrounding' | 'posters' | 'comments' | 'reviews' | 'attribution' | 'details';

/** The first group that one of the names belongs to, in the order of the table. */
export function groupOfNames(names: string): NameGroup | undefined {
  if (names.length < 2 || names.length > namesLengthMax) return undefined;
  const text = capitals.test(names) ? names.replace(/([a-z])([A-Z])/g, '$1-$2').toLowerCase() : names;
  let rank = groupCount;
  for (let start = 0; start < text.length;) {
    let end = start;
    while (end < text.length && text.charCodeAt(end) > space) end++;
    if (end > start) rank = Math.min(rank, rankOfName(text, start, end));
    start = end + 1;
  }
  return groups[rank];
}

/** Of two, the one that comes first in the table. */
export function firstGroup(one: NameGroup | undefined, other: NameGroup | undefined): NameGroup | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return groups.indexOf(one) < groups.indexOf(other) ? one : other;
}

/** Most names have none, and looking for them is cheaper than replacing them. */
const capitals = /[A-Z\u0080-\uffff]/;

/** Of one name, word by word. Splitting them takes twice as long, and a page has hundreds of names. */
function rankOfName(text: string, start: number, end: number): number {
  let rank = groupCount;
  let ambiguousRank = groupCount;
  let count = 0;
  let before: Word | undefined;
  for (let at = start; at <= end;) {
    let wordEnd = at;
    while (wordEnd < end && !isSeparator(text.charCodeAt(wordEnd))) wordEnd++;
    const written = text.slice(at, wordEnd);
    const word = words.get(written);
    // `has-sidebar` and `no-comments` are said of what is around or beside.
    if (word !== undefined && (word.isDescribing || (word.isNegation && count === 0))) return groupCount;
    const pairRank = before?.pairs.get(written) ?? groupCount;
    if (before?.isAmbiguous === true) ambiguousRank = Math.min(ambiguousRank, pairRank);
    else rank = Math.min(rank, pairRank);
    if (word?.isAmbiguous === true) ambiguousRank = Math.min(ambiguousRank, word.rank);
    else rank = Math.min(rank, word?.rank ?? groupCount);
    before = word;
    count++;
    at = wordEnd + 1;
    while (at < end && isSeparator(text.charCodeAt(at))) at++;
  }
  // `type-name-label` is what something is called.
  return count > 2 ? rank : Math.min(rank, ambiguousRank);
}

const space = 0x20;

/** `-` and `_`. */
function isSeparator(code: number): boolean {
  return code === 0x2d || code === 0x5f;
}

/** Longer ones are made by a program, not chosen by a person. */
const namesLengthMax = 500;
const negations: ReadonlySet<string> = new Set(['has', 'with', 'no', 'without', 'not', 'is', 'hide', 'show', 'card']);

/** `product-details-modal` is opened to read more of what the page is about. */
const describing: ReadonlySet<string> = new Set([
  'description',
  'descriptions',
  'details',
  'specs',
  'specification',
  'specifications',
  'ingredients',
  'features',
]);

const groups: readonly NameGroup[] = [
  'navigation',
  'surrounding',
  'posters',
  'comments',
  'reviews',
  'details',
  'attribution',
];
const groupCount = groups.length;
/** Words for small things that are in long names of other things, too. */
const ambiguous: ReadonlySet<string> = new Set(['label', 'tag', 'count', 'like', 'views', 'action']);

const wordsOf: Readonly<Record<NameGroup, string>> = {
  navigation: `
    nav navbar navigation menu submenu megamenu mega-menu breadcrumb breadcrumbs crumbs sidebar side-bar
    toolbar dropdown drawer offcanvas off-canvas footer pager pagination nav-header nav-footer navheader
    navfooter site-nav main-nav site-footer navset navsettop navsetbottom navpath navelem tocset toplang
    bottomlang docnav prev-next next-prev prevnext`,
  surrounding: `
    cookie cookies cookiebanner consent gdpr site-header skip-link skip-to skip-nav share sharing sharebar
    sharedaddy social socials related recommended recommendations recommendation newsletter subscribe
    subscription advert advertisement advertising ad ads sponsor sponsored popup modal lightbox sr-only
    visually-hidden visuallyhidden screen-reader offscreen printfooter mw-editsection headerlink promo promos
    promotion minicart mini-cart cart filters filter facets facet wishlist tooltip toast snackbar login signin
    sign-in log-in signup sign-up register trending upsell upsells cross-sell up-sell topbar top-bar copyright
    bio author-bio author-box author-info about-author to-cart add-to to-top also-like read-next more-from
    more-stories read-more readmore popular-posts recent-posts latest-posts most-read most-popular tag-list
    post-tags entry-tags article-tags tagcloud language-switcher lang-switcher language-selector paywall
    announcement feedback helpful survey teilen werbung anzeige seitenleiste warenkorb verwandte partager
    publicite relacionados compartir publicidad rodape rodapé podobne gerelateerd condividi correlati swatch
    swatches size-guide size-chart sizeguide quantity qty back-in-stock permalink ttc projectname`,
  posters: `
    userinfo user-info cell-user user-extras user-details post-author postprofile post-profile poster signature
    user-card avatar profile`,
  comments: `
    comment comments commentlist comment-list respond disqus discuss replies kommentare kommentar commentaires
    comentarios commenti reacties komentarze`,
  reviews: `review reviews testimonial testimonials ratings bewertungen avis opiniones recensioni`,
  details: `
    credit credits button buttons btn btns cta actions action label badge badges tags tag category categories rating
    views votes vote likes like count eyebrow`,
  attribution: `
    author authors byline date dates time timestamp dateline published pubdate posted updated modified meta
    reading-time read-time vcard autor auteur datum fecha`,
};

interface Word {
  /** The first group that has it, as a position in the table. */
  rank: number;
  readonly isNegation: boolean;
  readonly isDescribing: boolean;
  readonly isAmbiguous: boolean;
  /** Groups of this word with the one behind it, such as `side-bar`. */
  readonly pairs: Map<string, number>;
}

/** Everything that is known of a word, in one look. */
const words: ReadonlyMap<string, Word> = makeWords();

function makeWords(): ReadonlyMap<string, Word> {
  const made = new Map<string, Word>();
  const wordOf = (name: string): Word => {
    const word = made.get(name) ?? {
      rank: groupCount,
      isNegation: negations.has(name),
      isDescribing: describing.has(name),
      isAmbiguous: ambiguous.has(name),
      pairs: new Map(),
    };
    made.set(name, word);
    return word;
  };
  for (const name of [...negations, ...describing]) wordOf(name);
  for (const [rank, group] of [...groups.entries()].toReversed()) {
    for (const entry of wordsOf[group].trim().split(/\s+/)) {
      const hyphen = entry.indexOf('-');
      if (hyphen === -1) wordOf(entry).rank = rank;
      else wordOf(entry.slice(0, hyphen)).pairs.set(entry.slice(hyphen + 1), rank);
    }
  }
  return made;
}
