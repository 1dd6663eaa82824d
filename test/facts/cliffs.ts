/**
 * Looks for cliffs: a part of a page, such as an answer or a price, is put into pages that differ in what must not matter.
 * The same part stays, or goes, in all of them.
 */
import { extractPage } from '../../src/extract/extract-page.ts';

const dimensions = {
  prose: ['1', '3', '6', '12'],
  script: ['latin', 'han'],
  names: ['none', 'plain', 'bem', 'hashed'],
  place: ['main', 'article', 'div'],
  siblings: ['3', '4'],
} as const;

type Dimension = keyof typeof dimensions;
type Variant = { readonly [D in Dimension]: (typeof dimensions)[D][number] };

interface Words {
  /** Without the full stop. */
  readonly sentence: string;
  readonly title: string;
  readonly label: string;
  readonly value: string;
  readonly stop: string;
}

const words: Readonly<Record<Variant['script'], Words>> = {
  latin: {
    sentence: 'The ferry leaves the lower quay twice a day and comes back before the lamps are lit',
    title: 'Roof repair',
    label: 'Material',
    value: 'Larch, oiled',
    stop: '. ',
  },
  han: {
    sentence: '渡船每天从下游码头开出两次，赶在点灯之前回来',
    title: '屋顶维修',
    label: '材料',
    value: '上油的落叶松',
    stop: '。',
  },
};

/** Each returns a part; `n` numbers like parts. `as` gives the attribute of a class. */
const parts: Readonly<Record<string, (text: Words, as: (name: string) => string, n: number) => string>> = {
  'linked card': ({ title, value }, as, n) =>
    `<div${as('card')}><a href="/s/${n}"><h3>${title} ${n}</h3><p>${value} ${n}</p></a></div>`,
  'card with a linked title': ({ title, value }, as, n) =>
    `<div${as('card')}><h3><a href="/s/${n}">${title} ${n}</a></h3><p>${value} ${n}</p></div>`,
  'linked title': ({ title }, as, n) => `<li${as('item')}><a href="/s/${n}">${title} ${n}</a></li>`,
  'label and value in boxes': ({ label, value }, as, n) =>
    `<div${as('field')}><div${as('field-label')}>${label} ${n}</div><div${as('field-value')}>${value} ${n}</div></div>`,
  'label and value in a line': ({ label, value }, as, n) =>
    `<p${as('meta')}><span${as('label')}>${label} ${n}:</span> <span${as('value')}>${value} ${n}</span></p>`,
  'answer in a hidden region': ({ title, value, stop }, as, n) =>
    `<h3><button aria-expanded="false" aria-controls="a${n}"${as('accordion-button')}>${title} ${n}?</button></h3>
     <div id="a${n}" role="region" hidden${as('panel')}>${value} ${n}${stop}</div>`,
  'answer below a button': ({ title, value, stop }, as, n) =>
    `<button${as('accordion')}>${title} ${n}?</button><div${as('panel')}><p>${value} ${n}${stop}</p></div>`,
  'sentence that begins with a named element': ({ title, sentence, stop }, as, n) =>
    `<p><span${as('tooltip')}>${title} ${n}</span> ${sentence}${stop}</p>`,
  note: ({ sentence, stop }, as, n) => `<aside${as('note')}><p>${n} ${sentence}${stop}</p></aside>`,
  caption: ({ sentence, stop }, as, n) =>
    `<figure${as('image')}><img src="/${n}.jpg" alt=""><figcaption${as('caption')}>${n} ${sentence}${stop}</figcaption></figure>`,
  price: ({ title }, as, n) => `<p${as('price')}>${title} ${n}: 1${n},50 €</p>`,
  phone: ({ label }, as, n) => `<p${as('contact')}>${label} ${n}: <a href="tel:+4930123${n}">+49 30 123 ${n}</a></p>`,
};

/** A line for each part that is lost in some variants: in how many, and in how many with each value. */
export function findCliffs(): string {
  return Object.keys(parts)
    .flatMap((name) => {
      const lost = variants.filter((variant) => !keeps(name, variant));
      if (lost.length === 0) return [];
      const shares = Object.entries(dimensions).map(([dimension, values]) => {
        const counts = values.map((value) => {
          const those = lost.filter((variant) => variant[dimension as Dimension] === value);
          return `${value} ${those.length}`;
        });
        return `${dimension}: ${counts.join(', ')}`;
      });
      return [`${name}: ${lost.length} of ${variants.length} (${shares.join('; ')})\n`];
    })
    .join('');
}

const variants: readonly Variant[] = dimensions.prose.flatMap((prose) =>
  dimensions.script.flatMap((script) =>
    dimensions.names.flatMap((names) =>
      dimensions.place.flatMap((place) =>
        dimensions.siblings.map((siblings) => ({ prose, script, names, place, siblings })),
      ),
    ),
  ),
);

function keeps(name: string, { prose, script, names, place, siblings }: Variant): boolean {
  const text = words[script];
  const make = parts[name];
  if (make === undefined) throw new Error(`There is no part ${name}.`);
  const as = (role: string): string => {
    const written = { none: '', plain: role, bem: `c-block__${role}`, hashed: `${role}_root__x7Kq2` }[names];
    return written === '' ? '' : ` class="${written}"`;
  };
  const paragraphs = (from: number): string =>
    Array.from(
      { length: Number(prose) },
      (_, n) => `<p>${`${from + n} ${text.sentence}${text.stop}`.repeat(3)}</p>`,
    ).join('');
  const like = Array.from({ length: Number(siblings) }, (_, n) => make(text, as, n + 1));
  const listed =
    like[0]?.startsWith('<li') === true ? `<ul>${like.join('')}</ul>` : `<div${as('list')}>${like.join('')}</div>`;
  const inside = `<h1>Example</h1>${paragraphs(10)}<h2>Second</h2>${listed}<h2>Third</h2>${paragraphs(50)}`;
  const element = place === 'div' ? 'div id="content"' : place;
  const html = `<body><nav><a href="/">Home</a></nav><${element}>${inside}</${place}></body>`;
  const { text: markdown } = extractPage(html, {
    url: 'https://www.site.example/page',
    headers: { link: '', refresh: '', contentLanguage: '' },
    robotsTag: new Set(),
    outputFormat: 'text',
    content: 'auto',
    excludeElements: null,
  });
  const shown = markdown.replace(/\s+/g, ' ');
  const wanted = like.flatMap((part) => part.replace(/<[^>]*>/g, '\n').split('\n'));
  return wanted.every((line) => shown.includes(line.replace(/\s+/g, ' ').trim()));
}
