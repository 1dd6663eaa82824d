/** The opening post of a thread is content, whatever the number of answers, the language and the length of the question. */
import { describe, expect, it } from 'vitest';
import { extractPage } from '../../src/extract/extract-page.ts';
import { languages, type Site, sites, type Thread } from './opening-sites.ts';

const away = 'https://rakes.example/a';

/** What of the thread is missing, and what is there that is none of it. */
function wrongIn(site: Site, thread: Thread): string[] {
  const { text } = extractPage(site.page(thread), {
    url: site.url,
    headers: { link: '', refresh: '', contentLanguage: '' },
    robotsTag: new Set(),
    outputFormat: 'markdown',
    content: 'auto',
    excludeElements: null,
  });
  const wanted = [thread.question, thread.link, 'asker', ...thread.answers];
  const isTitled = text.includes(`# ${thread.title}`) || text.includes(`# [${thread.title}](`);
  return [
    ...(isTitled ? [] : ['title']),
    ...wanted.filter((part) => !text.includes(part)),
    ...(text.includes('Guidelines') ? ['not Guidelines'] : []),
  ];
}

function* threads(site: Site): Iterable<readonly [label: string, thread: Thread]> {
  for (const [language, { title, long, short, answers }] of Object.entries(languages)) {
    for (const count of [0, 1, 2, 12]) {
      if (count === 0 && site.needsAnswers === true) continue;
      const given = Array.from({ length: count }, (_, at) => `${answers[at % answers.length] ?? ''} ${at}.`);
      for (const question of [long, short]) {
        for (const link of site.hasNoLinks === true ? [''] : ['', away])
          yield [`${language}, ${count} answers, "${question}" ${link}`, { title, question, link, answers: given }];
      }
    }
  }
}

describe('extractPage of a thread', () => {
  it.each(Object.entries(sites))(
    'extractPage: begins a thread of %s with title, author, link and question',
    (_, site) => {
      const wrong = Array.from(threads(site), ([label, thread]) => [label, ...wrongIn(site, thread)]);
      expect(wrong.filter(({ length }) => length > 1)).toEqual([]);
    },
  );

  it.each(Object.entries(sites).filter(([, { hasNoLinks }]) => hasNoLinks !== true))(
    'extractPage: keeps title, author and link of a thread of %s that asks nothing',
    (_, site) => {
      const { title, answers } = languages['English'] ?? { title: '', answers: [] };
      expect(wrongIn(site, { title, question: '', link: away, answers })).toEqual([]);
    },
  );
});
