import { mediaType } from './media-type.ts';

/** Files that can become pages. Feeds are XML. `unknown`: only the first bytes can say which kind it is. */
export type FileKind =
  | 'pdf'
  | 'docx'
  | 'xlsx'
  | 'pptx'
  | 'odf'
  | 'ole'
  | 'epub'
  | 'rtf'
  | 'text'
  | 'csv'
  | 'markdown'
  | 'json'
  | 'ipynb'
  | 'yaml'
  | 'xml'
  | 'html'
  | 'mail'
  | 'unknown';

/** Files that are read as documents: Markdown is read as a page. */
export type DocumentKind = Exclude<FileKind, 'markdown'>;

/**
 * Returns the kind of file that a response announces: by its type, or by the path's ending if the type says little.
 * Undefined for HTML, and for what has no reader. The first bytes can say otherwise (`documents/recognize.ts`).
 */
export function fileKindOf(contentType: string, path: string): FileKind | undefined {
  const type = mediaType(contentType);
  const ending = endingOf(path);
  const known = byType[type] ?? bySuffix(type);
  const isLoose =
    vagueTypes.has(type) || known === 'text' || known === 'ole' || (known === 'json' && ending === 'ipynb');
  if (!isLoose) return known;
  const named = byEnding[ending] ?? known;
  if (named !== undefined || type === '') return named;
  return ending === '' || scripts.has(ending) ? 'unknown' : undefined;
}

/** `application/vnd.api+json`, say. XHTML and images are no files. */
function bySuffix(type: string): FileKind | undefined {
  const suffix = /^application\/(?!xhtml)[^/]+\+(xml|json|yaml)$/.exec(type)?.[1];
  return suffix === 'xml' || suffix === 'json' || suffix === 'yaml' ? suffix : undefined;
}

const office = 'application/vnd.openxmlformats-officedocument.';
const openDocument = 'application/vnd.oasis.opendocument.';

const byType: Readonly<Record<string, FileKind>> = {
  'application/pdf': 'pdf',
  'application/x-pdf': 'pdf',
  [`${office}wordprocessingml.document`]: 'docx',
  [`${office}wordprocessingml.template`]: 'docx',
  'application/vnd.ms-word.document.macroenabled.12': 'docx',
  'application/vnd.ms-word.template.macroenabled.12': 'docx',
  [`${office}spreadsheetml.sheet`]: 'xlsx',
  [`${office}spreadsheetml.template`]: 'xlsx',
  'application/vnd.ms-excel.sheet.macroenabled.12': 'xlsx',
  'application/vnd.ms-excel.template.macroenabled.12': 'xlsx',
  [`${office}presentationml.presentation`]: 'pptx',
  [`${office}presentationml.slideshow`]: 'pptx',
  [`${office}presentationml.template`]: 'pptx',
  'application/vnd.ms-powerpoint.presentation.macroenabled.12': 'pptx',
  'application/vnd.ms-powerpoint.slideshow.macroenabled.12': 'pptx',
  'application/vnd.ms-powerpoint.template.macroenabled.12': 'pptx',
  ...Object.fromEntries(
    ['text', 'spreadsheet', 'presentation'].flatMap((kind) => [
      [openDocument + kind, 'odf'],
      [`${openDocument}${kind}-template`, 'odf'],
    ]),
  ),
  'application/msword': 'ole',
  'application/vnd.ms-word': 'ole',
  'application/vnd.ms-excel': 'ole',
  'application/msexcel': 'ole',
  'application/excel': 'ole',
  'application/x-msexcel': 'ole',
  'application/vnd.ms-powerpoint': 'ole',
  'application/mspowerpoint': 'ole',
  'application/x-ole-storage': 'ole',
  'application/epub+zip': 'epub',
  'application/rtf': 'rtf',
  'application/x-rtf': 'rtf',
  'text/rtf': 'rtf',
  'text/plain': 'text',
  'text/x-rst': 'text',
  'text/prs.fallenstein.rst': 'text',
  'text/csv': 'csv',
  'text/x-csv': 'csv',
  'application/csv': 'csv',
  'application/x-csv': 'csv',
  'text/comma-separated-values': 'csv',
  'text/x-comma-separated-values': 'csv',
  'text/tab-separated-values': 'csv',
  'text/markdown': 'markdown',
  'text/x-markdown': 'markdown',
  'application/json': 'json',
  'text/json': 'json',
  'application/x-ipynb+json': 'ipynb',
  'application/yaml': 'yaml',
  'application/x-yaml': 'yaml',
  'text/yaml': 'yaml',
  'text/x-yaml': 'yaml',
  'text/vnd.yaml': 'yaml',
  'application/xml': 'xml',
  'text/xml': 'xml',
  'message/rfc822': 'mail',
  'multipart/related': 'mail',
  'application/x-mimearchive': 'mail',
};

/** Types that servers send for files of unknown type. */
const vagueTypes: ReadonlySet<string> = new Set([
  '',
  'application/octet-stream',
  'application/x-octet-stream',
  'binary/octet-stream',
  'application/binary',
  'application/x-binary',
  'application/download',
  'application/x-download',
  'application/force-download',
  'application/x-force-download',
  'application/save',
  'application/save-as',
  'application/file',
  'application/unknown',
  'application/x-unknown',
  'unknown/unknown',
  'application/zip',
  'application/x-zip-compressed',
]);

const byEnding: Readonly<Record<string, FileKind>> = {
  pdf: 'pdf',
  docx: 'docx',
  docm: 'docx',
  dotx: 'docx',
  dotm: 'docx',
  xlsx: 'xlsx',
  xlsm: 'xlsx',
  xltx: 'xlsx',
  xltm: 'xlsx',
  pptx: 'pptx',
  ppsx: 'pptx',
  potx: 'pptx',
  pptm: 'pptx',
  ppsm: 'pptx',
  potm: 'pptx',
  odt: 'odf',
  ott: 'odf',
  ods: 'odf',
  ots: 'odf',
  odp: 'odf',
  otp: 'odf',
  doc: 'ole',
  dot: 'ole',
  xls: 'ole',
  xlt: 'ole',
  ppt: 'ole',
  pps: 'ole',
  epub: 'epub',
  rtf: 'rtf',
  txt: 'text',
  rst: 'text',
  csv: 'csv',
  tsv: 'csv',
  md: 'markdown',
  markdown: 'markdown',
  json: 'json',
  geojson: 'json',
  ipynb: 'ipynb',
  yaml: 'yaml',
  yml: 'yaml',
  xml: 'xml',
  rss: 'xml',
  atom: 'xml',
  eml: 'mail',
  mht: 'mail',
  mhtml: 'mail',
};

/** Endings of programs that send files of any kind. */
const scripts: ReadonlySet<string> = new Set([
  'php',
  'asp',
  'aspx',
  'ashx',
  'axd',
  'jsp',
  'jspx',
  'do',
  'cgi',
  'cfm',
  'pl',
]);

function endingOf(path: string): string {
  return /\.([a-z]{2,8})(?:[?#]|$)/i.exec(path.replace(/\?.*$/s, ''))?.[1]?.toLowerCase() ?? '';
}
