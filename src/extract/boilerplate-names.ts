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
  const known = knownGroups.get(names);
  if (known !== undefined) return groups[known];
  if (knownGroups.size >= knownGroupsMax) knownGroups.clear();
  const rank = rankOfNames(names);
  knownGroups.set(names, rank);
  return groups[rank];
}

/** Of two, the one that comes first in the table. */
export function firstGroup(one: NameGroup | undefined, other: NameGroup | undefined): NameGroup | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return groups.indexOf(one) < groups.indexOf(other) ? one : other;
}

/** The pages of a site share their names. Those that are made up for each page push out the others, and cost no memory. */
const knownGroups = new Map<string, number>();
const knownGroupsMax = 5000;

function rankOfNames(names: string): number {
  let found = groupCount;
  for (const name of names
    .replace(/([a-z])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/\s+/)) {
    const words = name.split(/[_-]+/);
    // `has-sidebar` and `no-comments` are said of what is around or beside.
    if (negations.has(words[0] ?? '') || words.some((word) => describing.has(word))) continue;
    for (let at = 0; at < words.length; at++) {
      const one = groupRanks.get(words[at] ?? '') ?? groupCount;
      const two = at + 1 < words.length ? (groupRanks.get(`${words[at]}-${words[at + 1]}`) ?? groupCount) : groupCount;
      const rank = Math.min(one, two);
      // `type-name-label` is what something is called.
      if (rank < groupCount && words.length > 2 && ambiguous.has(words[at] ?? '')) continue;
      found = Math.min(found, rank);
    }
  }
  return found;
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

const words: Readonly<Record<NameGroup, string>> = {
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

const groupRanks: ReadonlyMap<string, number> = new Map(
  [...groups.entries()].toReversed().flatMap(([rank, group]) =>
    words[group]
      .trim()
      .split(/\s+/)
      .map((word): [string, number] => [word, rank]),
  ),
);
