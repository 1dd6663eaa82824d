import { mediaType } from './media-type.ts';

/** Files that can become pages. Feeds are XML. */
export type FileKind = 'pdf' | 'docx' | 'xlsx' | 'pptx' | 'epub' | 'rtf' | 'text' | 'csv' | 'markdown' | 'json' | 'xml';

/** Files that are read as documents: Markdown is read as a page. */
export type DocumentKind = Exclude<FileKind, 'markdown'>;

/**
 * Returns the kind of file of a response: by its type, or by the path's ending if the type says little (plain bytes,
 * plain text, none). Undefined for HTML and for types without a reader.
 */
export function fileKindOf(contentType: string, path: string): FileKind | undefined {
  const type = mediaType(contentType);
  const known = byType[type];
  if (known !== undefined && known !== 'text') return known;
  if (known === 'text' || vagueTypes.has(type)) return byEnding[endingOf(path)] ?? known;
  return /^application\/(?!xhtml)[^/]+\+xml$/.test(type) ? 'xml' : undefined;
}

const office = 'application/vnd.openxmlformats-officedocument.';

const byType: Readonly<Record<string, FileKind>> = {
  'application/pdf': 'pdf',
  'application/x-pdf': 'pdf',
  [`${office}wordprocessingml.document`]: 'docx',
  'application/vnd.ms-word.document.macroenabled.12': 'docx',
  [`${office}spreadsheetml.sheet`]: 'xlsx',
  'application/vnd.ms-excel.sheet.macroenabled.12': 'xlsx',
  [`${office}presentationml.presentation`]: 'pptx',
  [`${office}presentationml.slideshow`]: 'pptx',
  'application/vnd.ms-powerpoint.presentation.macroenabled.12': 'pptx',
  'application/epub+zip': 'epub',
  'application/rtf': 'rtf',
  'text/rtf': 'rtf',
  'text/plain': 'text',
  'text/csv': 'csv',
  'application/csv': 'csv',
  'text/tab-separated-values': 'csv',
  'text/markdown': 'markdown',
  'text/x-markdown': 'markdown',
  'application/json': 'json',
  'text/json': 'json',
  'application/ld+json': 'json',
  'application/geo+json': 'json',
  'application/xml': 'xml',
  'text/xml': 'xml',
};

/** Types that servers send for files of unknown type. */
const vagueTypes: ReadonlySet<string> = new Set([
  '',
  'application/octet-stream',
  'binary/octet-stream',
  'application/download',
  'application/force-download',
  'application/zip',
  'application/x-zip-compressed',
]);

const byEnding: Readonly<Record<string, FileKind>> = {
  pdf: 'pdf',
  docx: 'docx',
  docm: 'docx',
  xlsx: 'xlsx',
  xlsm: 'xlsx',
  pptx: 'pptx',
  ppsx: 'pptx',
  pptm: 'pptx',
  epub: 'epub',
  rtf: 'rtf',
  txt: 'text',
  csv: 'csv',
  tsv: 'csv',
  md: 'markdown',
  markdown: 'markdown',
  json: 'json',
  geojson: 'json',
  xml: 'xml',
  rss: 'xml',
  atom: 'xml',
};

function endingOf(path: string): string {
  return /\.([a-z]{2,8})(?:[?#]|$)/i.exec(path.replace(/\?.*$/s, ''))?.[1]?.toLowerCase() ?? '';
}
