// Made-up sites with records whose truth is known: two templates each, missing fields, rows in any order, old prices,
// related items, five ways to write prices and dates, declarations on a part of the pages, and one site of 1998.

export type Truth = Readonly<Record<string, unknown>>;

export interface RecordPage {
  readonly html: string;
  /** Null: the page has no record. */
  readonly truth: Truth | null;
}

export interface RecordSite {
  readonly name: string;
  readonly schema: { readonly type: 'object'; readonly properties: Readonly<Record<string, object>> };
  readonly pages: Readonly<Record<string, RecordPage>>;
}

/** Numbers that look random, and are the same in every run. */
export function randomBy(seed: number): () => number {
  let state = seed >>> 0 || 1;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const words =
  'amber birch cedar delta ember fjord grove hazel ivory juniper kelp linden maple north olive pine quartz river stone thistle umber vale willow yarrow zephyr'.split(
    ' ',
  );
const makers = 'Hay Press,Ridge & Sons,Kiln Works,Oak Lane,Tarn Books,Fell Street,Weir Ltd,Moss Brothers'.split(',');
const months = 'January February March April May June July August September October November December'.split(' ');

type Random = () => number;
const pick = <One>(all: readonly One[], random: Random): One => all[Math.floor(random() * all.length)] as One;
const title = (random: Random): string =>
  [pick(words, random), pick(words, random), pick(words, random)]
    .map((word) => word[0]?.toUpperCase() + word.slice(1))
    .join(' ');
const shuffled = <One>(all: readonly One[], random: Random): One[] =>
  all
    .map((one) => [random(), one] as const)
    .toSorted(([one], [other]) => one - other)
    .map(([, one]) => one);

const priceForms: readonly ((amount: number) => string)[] = [
  (amount) => `$${amount.toLocaleString('en', { minimumFractionDigits: 2 })}`,
  (amount) => `${amount.toLocaleString('de', { minimumFractionDigits: 2 })} €`,
  (amount) => `EUR ${amount.toFixed(2)}`,
  (amount) => `£${amount.toFixed(2)}`,
  (amount) => `${amount.toFixed(2).replace('.', ',')} kr`,
];
const pad = (value: number): string => String(value).padStart(2, '0');
const dateForms: readonly ((year: number, month: number, day: number) => string)[] = [
  (year, month, day) => `${year}-${pad(month)}-${pad(day)}`,
  (year, month, day) => `${day} ${months[month - 1]} ${year}`,
  (year, month, day) => `${pad(day)}.${pad(month)}.${year}`,
  (year, month, day) => `${months[month - 1]} ${day}, ${year}`,
  (year, month, day) => `${pad(day)}/${pad(month)}/${year}`,
];

interface Item {
  readonly title: string;
  readonly maker: string | null;
  readonly price: number | null;
  readonly was: number | null;
  readonly date: string | null;
  readonly dateText: string;
  readonly code: string;
  readonly pages: number | null;
  readonly stock: boolean;
  readonly related: readonly { readonly title: string; readonly price: number }[];
}

function items(count: number, random: Random, form: number): Item[] {
  const amount = (): number => Math.round(random() * 200_000 + 300) / 100;
  return Array.from({ length: count }, (_, at): Item => {
    const [year, month, day] = [
      1990 + Math.floor(random() * 35),
      1 + Math.floor(random() * 12),
      1 + Math.floor(random() * 28),
    ];
    const hasDate = random() > 0.1;
    return {
      title: `${title(random)} ${at}`,
      maker: random() > 0.15 ? pick(makers, random) : null,
      price: random() > 0.08 ? amount() : null,
      was: random() > 0.6 ? amount() + 2_000 : null,
      date: hasDate ? `${year}-${pad(month)}-${pad(day)}` : null,
      dateText: (dateForms[form] ?? String)(year, month, day),
      code: `${pick(words, random).slice(0, 2).toUpperCase()}-${1_000 + at * 7}`,
      pages: random() > 0.2 ? 40 + Math.floor(random() * 900) : null,
      stock: random() > 0.4,
      related: Array.from({ length: 3 }, () => ({ title: title(random), price: amount() })),
    };
  });
}

interface Look {
  readonly name: string;
  readonly price: (amount: number) => string;
  readonly page: (item: Item, look: Look, random: Random, variant: boolean) => string;
  readonly lang: string;
}

const rowsOf = (item: Item, random: Random): (readonly [string, string])[] =>
  shuffled(
    [
      ['Publisher', item.maker],
      ['Published', item.date === null ? null : item.dateText],
      ['Code', item.code],
      ['Pages', item.pages === null ? null : String(item.pages)],
      ['Shipping', pick(['2 days', '5 days', 'next week'], random)],
    ].filter((row): row is [string, string] => row[1] !== null),
    random,
  );
const relatedOf = ({ related }: Item, { price }: Look, tag: string, cls: string): string =>
  `<div class="related"><h3>You may like</h3>${related.map((one) => `<${tag} class="${cls}"><a href="/x">${one.title}</a> <span class="price">${price(one.price)}</span></${tag}>`).join('')}</div>`;
const stockOf = ({ stock }: Item): string => (stock ? 'In stock' : 'Sold out');

const pagesOf: Readonly<Record<string, Look['page']>> = {
  shop: (item, look, random, variant) =>
    `<div class="${variant ? 'wide detail' : 'product'}"><h1 class="name">${item.title}</h1>${item.was === null ? '' : `<span class="price old">${look.price(item.was)}</span>`}${item.price === null ? '<p>Ask us</p>' : `<span class="price now">${look.price(item.price)}</span>`}<p class="avail">${stockOf(item)}</p><table class="facts">${rowsOf(
      item,
      random,
    )
      .map(([label, value]) => `<tr><th>${label}</th><td>${value}</td></tr>`)
      .join('')}</table>${relatedOf(item, look, 'div', 'card')}</div>`,
  terms: (item, look, random, variant) =>
    `<article${variant ? ' class="feature"' : ''}><header><h2 class="entry-title">${item.title}</h2></header>${variant ? '<div class="ad">Buy now for $3.00</div>' : ''}<dl>${rowsOf(
      item,
      random,
    )
      .map(([label, value]) => `<dt>${label}:</dt><dd>${value}</dd>`)
      .join(
        '',
      )}${item.price === null ? '' : `<dt>Price</dt><dd><b>${look.price(item.price)}</b></dd>`}</dl><div class="status"><i>${stockOf(item)}</i></div></article>${relatedOf(item, look, 'p', 'teaser')}`,
  hashed: (item, look, random, variant) =>
    `<div class="css-${Math.floor(random() * 1e6).toString(36)}9"><h1>${item.title}</h1><div data-testid="buy-box">${item.price === null ? '' : `<span data-testid="price">${look.price(item.price)}</span>`}<span data-testid="stock">${stockOf(item)}</span></div><ul class="sc-${variant ? 'a1b2' : 'c3d4'}">${rowsOf(
      item,
      random,
    )
      .map(([label, value]) => `<li><span>${label}</span><span>${value}</span></li>`)
      .join('')}</ul>${relatedOf(item, look, 'section', 'x')}</div>`,
  lines: (item, look, random) =>
    `<center><font size="6">${item.title}</font></center><hr>${rowsOf(item, random)
      .map(([label, value]) => `<b>${label}:</b> ${value}<br>`)
      .join(
        '\n',
      )}${item.price === null ? '' : `<b>Price:</b> ${look.price(item.price)}<br>`}<b>Stock:</b> ${stockOf(item)}<br><hr><font size="2">${item.related.map((one) => `${one.title} - ${look.price(one.price)}<br>`).join('')}</font>`,
  cards: (item, look, random, variant) =>
    `<main class="page"><section class="hero"><p class="kicker">${item.code}</p><h1>${item.title}</h1>${item.maker === null ? '' : `<p class="by">by <a class="brand" href="/b/${item.maker.length}">${item.maker}</a></p>`}</section><section class="offer">${item.was === null ? '' : `<del>${look.price(item.was)}</del>`}${item.price === null ? '' : `<ins>${look.price(item.price)}</ins>`}<span class="badge ${item.stock ? 'yes' : 'no'}">${stockOf(item)}</span></section><section class="${variant ? 'specs two' : 'specs'}">${rowsOf(
      item,
      random,
    )
      .filter(([label]) => label !== 'Code' && label !== 'Publisher')
      .map(
        ([label, value]) =>
          `<div class="spec"><span class="label">${label}</span><span class="value">${value}</span></div>`,
      )
      .join('')}</section>${relatedOf(item, look, 'li', 'r')}</main>`,
  prose: (item, look, _random, variant) =>
    `<div id="content"><h1>${item.title}</h1><p class="meta">${item.date === null ? '' : `Published on <time>${item.dateText}</time>`} ${item.maker === null ? '' : `by <span class="author">${item.maker}</span>`}</p><p>${variant ? 'Long awaited. ' : ''}Code ${item.code}, ${item.pages === null ? '' : `<span class="len">${item.pages} pages</span>`}.</p>${item.price === null ? '' : `<p class="cost">Only ${look.price(item.price)} today</p>`}<p class="st">${stockOf(item)}</p></div><aside>${relatedOf(item, look, 'div', 'y')}</aside>`,
};

const properties = {
  title: { type: 'string' },
  maker: { type: 'string', description: 'the publisher' },
  price: { type: 'number' },
  date: { type: 'string', format: 'date' },
  code: { type: 'string' },
  pages: { type: 'integer' },
  stock: { type: 'boolean' },
};

function truthOf(item: Item): Truth {
  const { title: name, maker, price, date, code, pages, stock } = item;
  return { title: name, maker, price, date, code, pages, stock };
}

const frame = (lang: string, heading: string, body: string): string =>
  `<!doctype html><html lang="${lang}"><head><title>${heading} | Site</title></head><body><div class="top"><a href="/">Home</a> <a href="/about">About</a></div>${body}<div class="bottom"><p>Imprint and terms</p></div></body></html>`;

/** `count` records for each of six sites. */
export function recordSites(seed: number, count = 60): readonly RecordSite[] {
  return Object.entries(pagesOf).map(([name, page], number) => {
    const random = randomBy(seed * 101 + number);
    const form = Math.floor(random() * 5);
    const lang = ['en', 'de', 'en', 'en-GB', 'da'][form] ?? 'en';
    const look: Look = { name, page, lang, price: priceForms[form] ?? String };
    const all = items(count, random, Math.floor(random() * 5));
    const withDeclarations = number % 3 === 0;
    const pages: Record<string, RecordPage> = {};
    for (const [at, item] of all.entries()) {
      const variant = random() > 0.6;
      const declared =
        withDeclarations && random() > 0.5
          ? `<script type="application/ld+json">${JSON.stringify({ '@type': 'Product', name: item.title, sku: item.code, ...(item.price !== null && { offers: { price: item.price, availability: item.stock ? 'InStock' : 'OutOfStock' } }) })}</script>`
          : '';
      pages[`/item/${at}-${item.code.toLowerCase()}`] = {
        html: frame(lang, item.title, page(item, look, random, variant) + declared),
        truth: truthOf(item),
      };
    }
    const paths = Object.keys(pages);
    for (let at = 0; at < 6; at++) {
      const some = paths.slice(at * 10, at * 10 + 10);
      pages[`/list/${at}`] = {
        html: frame(
          lang,
          `List ${at}`,
          `<div class="listing"><h1>All items ${at}</h1><ul class="grid">${some.map((path) => `<li class="tile"><a href="${path}">${path.slice(6)}</a></li>`).join('')}</ul></div>`,
        ),
        truth: null,
      };
    }
    for (const topic of ['about', 'terms', 'contact'])
      pages[`/${topic}`] = {
        html: frame(
          lang,
          topic,
          `<div class="text"><h1>All on ${topic}</h1><p>${'We sell what is good. '.repeat(9)}</p><p>Since 1998.</p></div>`,
        ),
        truth: null,
      };
    return { name, schema: { type: 'object', properties }, pages };
  });
}
