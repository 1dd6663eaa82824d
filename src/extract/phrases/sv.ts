import type { Language } from './language.ts';

/** Swedish, Danish and Norwegian. */
export const sv: Language = {
  comments: ['(kommentarer|kommentar)'],
  related: [
    '(relaterade|liknande|relaterte|relaterede) (artiklar|inlägg|artikler|innlegg|indlæg|nyheter|nyheder|produkter)',
  ],
  popular: ['(mest läst[a]|mest lest[e]|mest læst[e])[ …]'],
  readOn: ['läs (också|mer|även)…', '(les|læs) (også|mer|mere)…'],
  share: ['(dela|del) (artikel[n]|denne|den här)[ …]'],
  advertisement: ['(annons|annonse|annonce)'],
  button: ['(läs mer|les mer|læs mere|visa mer|vis mer|vis mere)'],
  rights: ['(alla rättigheter förbehållna|alle rettigheter (forbeholdt|reservert)|alle rettigheder forbeholdes)'],
  by: ['(skriven av|skrevet av|skrevet af|skrivet av|publicerad av)'],
  author: ['(författare|forfatter|text|tekst)'],
  team: ['(redaktionen|redaksjonen)'],
  published: ['publicera…', 'publiser…', 'offentliggjort', 'skapad'],
  updated: ['uppdatera…', 'oppdater…', 'opdater…', 'ändrad', 'redigera…', 'senast (uppdaterad|ändrad)'],
  loading: ['laddar[ …]', 'laster[ inn]', '(laadt|indlæser)'],
  logout: ['logga ut', 'log ud', 'logg ut'],
  choose: ['välj'],
};
