/** Recognizes headings of what follows the content of a page: other articles, comments, the author, ways to share. */
import type { Element } from 'domhandler';
import { nodeText } from '../html/node-text.ts';
import type { PageKind } from '../measure/page-kind.ts';

export function isEndHeading(text: string, kind: PageKind): boolean {
  if (text.length >= lengthMax) return false;
  const line = text.trim().replace(signs, '');
  return endHeadings.test(line) || (kind === 'product' && shopHeadings.test(line));
}

/**
 * The end headings of one page. Remembers each heading, since every box that opens with it asks. An object and not a
 * function that captures the page: V8 keeps the last function of a call site, and with it the tree of a page, which
 * doubled the time of a page.
 */
export class EndHeadings {
  readonly #kind: PageKind;
  readonly #known = new Map<Element, boolean>();

  constructor(kind: PageKind) {
    this.#kind = kind;
  }

  has(heading: Element): boolean {
    let is = this.#known.get(heading);
    if (is === undefined) {
      is = isEndHeading(nodeText(heading.children), this.#kind);
      this.#known.set(heading, is);
    }
    return is;
  }
}

const lengthMax = 60;
/** Emojis and arrows before the words. */
const signs = /^[\p{S}\ufe0f\u200d\s]+/u;

const endHeadings = new RegExp(
  `^(?:${[
    // English
    '(?:\\d+ )?(?:comments?|responses?|replies|thoughts on .*)(?: \\(?\\d+\\)?)?',
    '(?:leave|post|add|write) (?:a |your )?(?:reply|comment|review)\\b.*',
    '(?:related|similar|recommended|suggested|recent|latest|popular|trending|featured|more|other)(?: [a-z&]+)? (?:articles?|posts?|stories|news|content|reading|topics?|links?|items?|products?|pages?|resources?|blogs?|videos?|guides?|insights?)(?: you .*)?',
    '(?:related|recommended|trending|most (?:popular|read|viewed))(?: (?:now|for you|by .*))?',
    'you (?:may|might|will|could)(?: also)? (?:also |be )?(?:like|enjoy|love|interested).*',
    '(?:customers|people|others) (?:who|also) .*|frequently bought.*|recently viewed.*|customer reviews?.*|pairs well with',
    'more (?:from|like|in|on|by) .*|more (?:top )?(?:news|stories)|(?:in case|if) you missed it|up next|next up|read (?:next|more|also)|keep reading|continue reading|further reading',
    'about the authors?|(?:written|reviewed) by.*|meet the (?:author|team|expert).*|contributors?',
    'share(?: (?:this|on|it|via|your story).*)?|(?:like|love) (?:it|this.*)\\? share.*|pin (?:it|this|for later).*|follow us.*|connect with us|stay (?:connected|informed|up to date|in touch).*',
    'subscribe\\b.*|newsletters?\\b.*|sign up\\b.*|join (?:our|the) .*|get (?:the latest|our newsletter|in touch|updates)\\b.*',
    'your answer|sign up or log ?in|post as a guest|log ?in\\b.*|explore (?:more|related).*|on this page|in this article|was this (?:page|article) helpful.*',
    '(?:others?|customers|people|shoppers|guests|users|readers|buyers) (?:who |like you )?.*also .*|related stor(?:y|ies)',
    '(?:shop|get|complete|finish) (?:the|your) look|as seen (?:on|in) .*|.* recently viewed .*|compare (?:with )?similar.*',
    '(?:products?|items?) related to .*|sponsored .*|you.ll (?:also )?love .*|goes (?:well|great) with.*',
    'related (?:searches|categories|collections|brands)|shop similar .*',
    // Calls to action
    '(?:ready|want) to .*\\?|(?:still )?(?:have|got) (?:a )?questions?.*|need (?:more )?help.*|looking for .*\\?|stay ahead.*',
    '(?:contact|talk|connect|speak) (?:us|sales|our team|me|(?:to|with) .*)|(?:schedule|book|request) (?:a|your) .*',
    'let.s (?:talk|chat|connect|get started|work together).*|get started(?: .*)?|(?:start (?:your|a)|try .*) free.*',
    // German, French, Spanish, Italian, Portuguese, Dutch
    '(?:\\d+ )?(?:kommentare?|commentaires?|comentarios?|commenti|comentários?|reacties)(?: \\(?\\d+\\)?)?',
    'das könnte (?:sie|dich) auch .*|ähnliche .*|(?:mehr|weitere) (?:(?:aktuelle )?(?:artikel|beiträge|themen|meldungen|nachrichten|news)\\b.*|zum thema)',
    '(?:empfohlene|verwandte|beliebte|aktuelle|neueste|meistgelesene) (?:artikel|beiträge|themen|meldungen|nachrichten|news)|meistgelesen|viel gelesen.*',
    '(?:auch interessant|lesen sie auch|das interessiert andere)\\b.*|(?:seite |artikel |beitrag |jetzt )?teilen.*|(?:mehr|weiter) lesen|über (?:den autor|die autorin)|schlagwörter',
    '(?:articles?|contenus?) (?:similaires?|liés|connexes|(?:les )?plus lus)|(?:sur le|dans la) même (?:sujet|thème|rubrique)|à lire aussi|partager.*|laisser un commentaire|à propos de l.auteur',
    '(?:artículos|noticias|entradas|contenido) relacionad[oa]s?|también te puede .*|compartir.*|deja (?:un|una) .*|te puede interesar',
    '(?:mehr|weitere[sn]?) (?:aus|zum|zur|storys?|stories|tipps?|videos?)\\b.*|weiterführende[rs]? links?',
    'verwandte .*|lesen sie .*beiträge|.* (?:könnte|könnten) (?:sie|dich|ihnen|dir) auch (?:interessieren|gefallen)|auch auf [\\w.-]+|passend (?:zum|dazu).*|meist-?(?:gelesene?|diskutierte?)n?.*|in den schlagzeilen',
    'le puede interesar.*|te recomendamos.*|más (?:noticias|artículos).*|notas relacionadas|le[ae]? también.*|voir aussi|explore further',
    '(?:czytaj|zobacz) (?:też|także|również|więcej).*|läs (?:också|mer).*|читайте также.*',
    'articoli correlati|potrebbe interessarti.*|condividi.*|(?:artigos|posts) relacionados|leia também|gerelateerde? .*|lees ook|deel dit.*',
  ].join('|')})[:.!?…]?$`,
  'i',
);

/** Sections that are the same for all products of a shop. Elsewhere, "Returns" is what a function returns. */
const shopHeadings = new RegExp(
  `^(?:${[
    '(?:free )?(?:shipping|delivery)(?: (?:and|&|\\+) (?:returns|shipping|delivery|payments?))?|returns(?: (?:and|&) .*)?',
    'size (?:guide|chart)|notify me.*|how to get it|available services|more ways to pay|payment (?:methods?|options?)',
    'warranty.*|questions (?:and|&) answers|ask a question',
  ].join('|')})[:.!?…]?$`,
  'i',
);
