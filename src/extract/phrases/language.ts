/** What pages say, by meaning. A language has its words for each in a file of its own. */
export type Meaning = (typeof meanings)[number];

/**
 * A phrase is written in lower case. `[x]` can be missing, `(x|y)` is one of several, `~` is any word, `#` any number and
 * `…` any text. Arabic and Hebrew nouns are written without their article. Accents do not count. ` | ` stands between phrases;
 * a list of such texts has those of its texts.
 */
type Phrases = string | readonly string[];

export type Language = Readonly<Partial<Record<Meaning, Phrases>>>;

export const meanings = [
  /** Headings of what follows the content: other pages, comments, the author, ways to share. */
  'end',
  /** Of the interface. Words that can also be an entry of a list or the name of a value are no labels. */
  'label',
  /**
   * Begins a line in which a site speaks about itself. Instructions begin alike, so its phrases need words that a manual
   * does not use.
   */
  'notice',
  /** All of such a line. */
  'invitation',
  /** Before the links to what a page is filed under. */
  'filedUnder',
  /** Before a colon or ©. */
  'photo',
  'photoBy',
  // Authors and dates.
  /** Before a name. */
  'by',
  /** Before a colon and a name. */
  'author',
  /** Occurs next to names, not in them. */
  'noName',
  /** Stands in place of a name. */
  'placeholder',
  /** Several persons. */
  'team',
  'published',
  'updated',
  'weekday',
  // Titles.
  /** After the name of a site. */
  'siteSection',
  'manual',
  // Forums.
  /** Before the date of something else than the post. */
  'joined',
  /** Before the date or the author of a post. */
  'posted',
  // Interfaces.
  'loading',
  /** Tells a page that is better with scripts from one that needs them. */
  'betterWith',
  /** Ends a session. Words that also mean something else, such as "exit", are left out. */
  'logout',
] as const;
