/** Parser rules by element name: the tables of the HTML standard (13.2), as far as a crawler needs them. */

export interface ElementRules {
  /** '' for unknown names. */
  readonly name: string;
  readonly isVoid: boolean;
  /** How the content is read, outside drawings and formulas. */
  readonly content: 'markup' | 'raw text' | 'text with references' | 'the rest of the page';
  /** The end tag does not close special elements opened inside. */
  readonly endsAlone: boolean;
  readonly isHead: boolean;
  /** Can stand in the head; everything else ends the head. */
  readonly isHeadContent: boolean;
  /** A nested one is not created. */
  readonly isOnly: boolean;
  /** The content is code, in which markup is mostly syntax colours. */
  readonly isCode: boolean;
  /** Holds rows or cells: white space between them has no meaning. */
  readonly isTablePart: boolean;
  /** The start tag closes elements in a table until one of these is innermost. */
  readonly standsIn: ReadonlySet<string> | undefined;
  /** Stays where it is between rows and cells. Everything else moves in front of the table. */
  readonly staysInTable: boolean;
  /** The content follows XML rules, such as `<path/>`. */
  readonly isForeign: boolean;
  /** HTML inside a drawing or formula. */
  readonly isForeignText: boolean;
  /** Does not belong in a drawing or formula, so it ends one that was left open. */
  readonly endsForeign: boolean;
  /** The start tag closes innermost elements with these names. */
  readonly endsInnermost: ReadonlySet<string>;
  /** The start tag closes the first of these families that is open within the barrier, with its content. */
  readonly endsFamilies: readonly string[];
  readonly endsFamiliesUpTo: Barrier;
  /** Shared name of the elements that end each other; '' for unknown names. */
  readonly family: string;
  readonly is: Readonly<Record<Barrier, boolean>>;
  /** Barrier that its end tag does not cross. @default none */
  readonly endsUpTo: Barrier | undefined;
}

/**
 * What an end tag does not cross. Most barriers are the "scopes" of the standard. `special` are blocks, parts of tables
 * and controls, which the end of an inline element leaves open; `items` are those of them that can contain another
 * list.
 */
export type Barrier = 'scope' | 'list' | 'button' | 'table' | 'special' | 'items';

export function rulesOf(name: string): ElementRules {
  return known.get(name) ?? inlineRules;
}

const names = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const voidElements = names(
  'area base basefont bgsound br col command embed frame hr img image input isindex keygen link meta param source track wbr',
);
const rawText = names('script style xmp iframe noembed noframes');
const escapableText = names('title textarea');
const special = names(
  'address applet area article aside base basefont bgsound blockquote body br button caption center col colgroup dd ' +
    'details dir div dl dt embed fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hgroup ' +
    'hr html iframe img image input keygen li link listing main marquee menu meta nav noembed noframes noscript object ol p ' +
    'param plaintext pre script search section select source style summary svg math table tbody td template textarea tfoot ' +
    'th thead title tr track ul wbr xmp',
);
const betweenItems = names('address div p');
const onlyOne = names('html head body form');
const headContent = names('base basefont bgsound link meta title noscript noframes style script template');
const foreign = names('svg math');
const foreignText = names('mi mo mn ms mtext foreignobject desc title');
const endsWithContent = names('dialog foreignobject annotation-xml desc mi mo mn ms mtext');
const endsForeign = names(
  'b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr ol ' +
    'p pre ruby s small span strong strike sub sup table tt u ul var',
);

const families = new Map<string, string>([
  ...[...names('h1 h2 h3 h4 h5 h6')].map((name) => [name, 'h1'] as const),
  ...[...names('dd dt')].map((name) => [name, 'dd'] as const),
  ...[...names('td th')].map((name) => [name, 'td'] as const),
  ...[...names('thead tbody tfoot caption colgroup')].map((name) => [name, 'tbody'] as const),
]);

// Only the innermost: a block inside a link in a paragraph belongs in the link.
const endsInnermost: readonly (readonly [names: ReadonlySet<string>, ended: ReadonlySet<string>])[] = [
  [names('h1 h2 h3 h4 h5 h6'), names('p h1 h2 h3 h4 h5 h6')],
  [
    names(
      'p address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption figure footer form ' +
        'header hgroup hr listing main menu nav ol plaintext pre search section summary table ul xmp',
    ),
    names('p'),
  ],
  [names('option'), names('option')],
  [names('optgroup'), names('option optgroup')],
  [names('select input textarea'), names('option optgroup select')],
  [names('rb rtc'), names('rb rt rp rtc')],
  [names('rt rp'), names('rb rt rp')],
];

const endsFamilies = new Map<string, readonly [ended: readonly string[], upTo: Barrier]>([
  ['a', [['a'], 'special']],
  ['button', [['button'], 'scope']],
  ['li', [['li'], 'items']],
  ['dd', [['dd'], 'items']],
  ['td', [['td'], 'table']],
  ['tr', [['tr', 'td'], 'table']],
  ['tbody', [['tbody', 'tr', 'td'], 'table']],
]);

const scopes = names('applet caption foreignobject marquee object table td template th');
const tables = names('table template');
const lists = names('ol ul');

const tableParts = names('table thead tbody tfoot tr td th caption colgroup');
const rowHolders = names('table thead tbody tfoot tr colgroup');
const standsIn = new Map<string, ReadonlySet<string>>([
  ...[...names('thead tbody tfoot caption colgroup')].map((name) => [name, names('table')] as const),
  ['col', names('colgroup table')],
  ['tr', names('thead tbody tfoot table')],
  ['td', names('tr thead tbody tfoot table')],
  ['th', names('tr thead tbody tfoot table')],
]);
const staysInTable = names(
  'thead tbody tfoot tr td th caption colgroup col form input style script template html head body',
);
const unstoppable = names('template svg math');

function makeRules(name: string): ElementRules {
  const family = families.get(name) ?? name;
  const [ended, endedUpTo] = endsFamilies.get(family) ?? [[], 'special'];
  const isSpecial = special.has(name);
  const isScope = scopes.has(name);
  return {
    name: unique(name),
    isVoid: voidElements.has(name),
    content: contentOf(name),
    endsAlone: name === 'form' || !(isSpecial || endsWithContent.has(name)),
    isHead: name === 'head',
    isHeadContent: headContent.has(name),
    isOnly: onlyOne.has(name),
    isCode: name === 'pre' || name === 'code',
    isTablePart: rowHolders.has(name),
    standsIn: standsIn.get(name),
    staysInTable: staysInTable.has(name),
    isForeign: foreign.has(name),
    isForeignText: foreignText.has(name),
    endsForeign: endsForeign.has(name),
    endsInnermost: endsInnermost.find(([starting]) => starting.has(name))?.[1] ?? nothing,
    endsFamilies: ended,
    endsFamiliesUpTo: endedUpTo,
    family,
    is: {
      scope: isScope,
      list: isScope || lists.has(name),
      button: isScope || name === 'button',
      table: tables.has(name),
      special: isSpecial,
      items: isSpecial && !betweenItems.has(name),
    },
    endsUpTo: endsUpTo(name),
  };
}

/** Object keys are interned: comparing such a name with a literal compares pointers. */
function unique(name: string): string {
  const [key = name] = Object.keys({ [name]: true });
  return key;
}

const nothing: ReadonlySet<string> = new Set();

function contentOf(name: string): ElementRules['content'] {
  if (rawText.has(name)) return 'raw text';
  if (escapableText.has(name)) return 'text with references';
  return name === 'plaintext' ? 'the rest of the page' : 'markup';
}

function endsUpTo(name: string): Barrier | undefined {
  if (name === 'p') return 'button';
  if (name === 'li') return 'list';
  if (tableParts.has(name)) return 'table';
  return unstoppable.has(name) ? undefined : 'scope';
}

const inline =
  'a rb rt rp rtc option optgroup mi mo mn ms mtext foreignobject annotation-xml desc dialog b big code em i nobr ruby ' +
  's small span strong strike sub sup tt u var';

/** Unknown names follow the rules of inline elements. */
const inlineRules = makeRules('');
const known = new Map(
  [voidElements, special, names(inline)].flatMap((set) => [...set].map((name) => [name, makeRules(name)] as const)),
);
