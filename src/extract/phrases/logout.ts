/** Recognizes what ends a session. */
import { fold } from './fold.ts';
import { languages } from './languages.ts';
import { parsePhrase, textsOf } from './pattern.ts';
import { wordsOf } from './phrases.ts';

const logoutWords: ReadonlySet<string> = new Set(
  Object.values(languages)
    .flatMap((language) => wordsOf(language, 'logout'))
    .flatMap((phrase) => textsOf(parsePhrase(phrase)).map(joined)),
);

/** Longer texts are no button. */
const buttonLengthMax = 30;

/** True if a text, a segment of a path or a value of a query is nothing but a phrase that ends a session. */
export function meansLogout(text: string): boolean {
  return text.length <= buttonLengthMax && logoutWords.has(joined(text));
}

/** True if the path or the query of a URL names the end of a session: `/logout.php`, `/users/sign_out`, `?action=logout`. */
export function leadsToLogout(url: URL): boolean {
  const segments = url.pathname.split('/').map((segment) => decoded(segment).replace(/\.\w{1,5}$/, ''));
  return [...segments, ...[...url.searchParams].flat()].some(meansLogout);
}

function joined(text: string): string {
  return fold(text).replaceAll(/[\s_-]+/g, '');
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
