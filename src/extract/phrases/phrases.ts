// What pages say in the languages of the world, by meaning.
import { de } from './de.ts';
import { en } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { it } from './it.ts';
import { ja } from './ja.ts';
import { ko } from './ko.ts';
import { nl } from './nl.ts';
import { pl } from './pl.ts';
import { pt } from './pt.ts';
import { ru } from './ru.ts';
import { sv } from './sv.ts';
import { tr } from './tr.ts';
import { zh } from './zh.ts';
import type { Phrases } from './language.ts';

const languages: readonly Phrases[] = [de, en, es, fr, it, ja, ko, nl, pl, pt, ru, sv, tr, zh];

const logoutWords: ReadonlySet<string> = new Set(languages.flatMap(({ logout }) => logout.map(joined)));

/** Longer texts are no button. */
const buttonLengthMax = 30;

/** True if a text, a segment of a path or a value of a query is nothing but a phrase that ends a session. */
export function meansLogout(text: string): boolean {
  return text.length <= buttonLengthMax && logoutWords.has(joined(text.trim()));
}

/** True if the path or the query of a URL names the end of a session: `/logout.php`, `/users/sign_out`, `?action=logout`. */
export function leadsToLogout(url: URL): boolean {
  const segments = url.pathname.split('/').map((segment) => decoded(segment).replace(/\.\w{1,5}$/, ''));
  return [...segments, ...[...url.searchParams].flat()].some(meansLogout);
}

function joined(text: string): string {
  return text.toLowerCase().replaceAll(/[\s_-]+/g, '');
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
