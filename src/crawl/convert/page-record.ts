import { hash } from 'node:crypto';
import { contentKey, formKey } from './content-key.ts';
import { countWords } from '../../extract/text/count-words.ts';
import type { PageInput } from './converter.ts';
import type { CopyKeys } from './copy-key.ts';
import type { WrittenKeys } from './written-keys.ts';
import type { JobSpec, OutputFormat } from '../../core/job.ts';
import { packTraits } from '../../core/page-traits.ts';
import type { PageFormats, PageMetadata, PageRecord } from '../../core/page.ts';
import { encodePage, type PageToEncode, toFragment } from '../../page/encode.ts';
import { type TitleShape, withTitle } from '../../page/page-title.ts';
import { type Shape, shapeMarkdown } from '../../shape/shape-markdown.ts';

export interface PageToStore extends PageToEncode {
  readonly fetchedKey: string;
  readonly copyKeys?: CopyKeys | undefined;
  readonly writtenKeys?: WrittenKeys | undefined;
  /** The kind of a file. @default page */
  readonly type?: string;
  /** It has only menus and footers. @default false */
  readonly isSurrounding?: boolean;
  /** The job compares its pages with each other, or with those of an earlier one. @default true */
  readonly isCompared?: boolean;
  readonly statusCode: number;
  readonly asksPassword?: boolean;
  /** See `PageRecord.frames`. */
  readonly frames?: PageRecord['frames'] | undefined;
  readonly droppedWords?: Readonly<Record<string, number>>;
  /** See `PageRecord.found`. */
  readonly found?: PageRecord['found'] | undefined;
  /** See `PageRecord.validator`. */
  readonly validator?: string | undefined;
  /** See `PageInput.earlier`. */
  readonly earlier?: PageInput['earlier'];
  /** The shape of Markdown. Copies are recognised by the whole text, whatever its shape. */
  readonly shape: Shape & {
    readonly title: TitleShape;
    readonly outputFormat: OutputFormat;
    readonly storeRaw?: boolean;
    readonly screenshot?: unknown;
  };
}

/** The formats of a job that are texts, besides its output format. */
export function textFormats({ formats, outputFormat }: Pick<JobSpec, 'formats' | 'outputFormat'>): OutputFormat[] {
  return (['markdown', 'html', 'text'] as const).filter(
    (format) => formats.includes(format) && format !== outputFormat,
  );
}

/** The further outputs of a page; undefined if the job wants none. */
export function formatsOf(spec: Pick<JobSpec, 'formats'> & Shape, outputs: PageFormats): PageFormats | undefined {
  if (spec.formats.length === 0) return undefined;
  const { markdown } = outputs;
  return markdown === undefined ? outputs : { ...outputs, markdown: shapeMarkdown(markdown, spec) };
}

/** A page ready to be stored, with the keys by which its copies are recognised. */
export function toPageRecord(page: PageToStore): PageRecord {
  const {
    fetchedUrl,
    fetchedKey,
    copyKeys,
    writtenKeys,
    isCompared = true,
    metadata,
    text,
    statusCode,
    asksPassword = false,
    frames,
    droppedWords = {},
    shape,
  } = page;
  const language = languageOf(metadata);
  const shaped = shapeMarkdown(text, shape);
  const key = text === '' || !isCompared ? undefined : contentKey(metadata.title, text, fetchedUrl);
  const form = key && formKey(metadata.title, text, fetchedUrl);
  const hash = pageHash(key, page.extracted);
  const change = changeOf(hash, page.earlier);
  // A raw body and a picture are those of this time.
  const isShared = change === 'unchanged' && shape.storeRaw !== true && !shape.screenshot;
  const compared = change && { change, ...(change !== 'added' && { evidence: 'hash' }) };
  const traits = {
    words:
      page.isSurrounding === true ? 0 : countWords(text.slice(0, countedMax).replace(linksIn[shape.outputFormat], '')),
    type: page.type ?? 'page',
    language: language ?? '-',
    form: form ?? '-',
    text: copyKeys?.textKey ?? key ?? '-',
    written: writtenKeys?.written ?? '-',
    undated: writtenKeys?.undated ?? '-',
    asksPassword,
  };
  const whole = shape.title === 'auto' ? withTitle(shaped, metadata, shape.outputFormat) : shaped;
  return {
    ...(isShared
      ? { meta: toFragment(nothing), body: toFragment(nothing), isShared }
      : encodePage({ ...page, metadata: { ...compared, ...metadata }, text: whole })),
    hash,
    ...(change && { change }),
    ...(page.validator !== undefined && { validator: page.validator }),
    fetchedKey,
    ...(copyKeys && { copyKey: copyKeys.copyKey }),
    ...(key !== undefined && { contentKey: key }),
    ...(form !== undefined && { formKey: form }),
    traits: packTraits(traits),
    statusCode,
    ...(asksPassword && { asksPassword }),
    ...(frames && { frames }),
    ...(Object.keys(droppedWords).length > 0 && { droppedWords }),
    ...(page.found !== undefined && { found: page.found }),
    ...(language !== undefined && { language }),
  };
}

/** Links with their texts, where the format shows them. In linear time, whatever the text. */
const linksIn: Readonly<Record<OutputFormat, RegExp>> = {
  markdown: /\[[^[\]\n]*\]\([^()[\s]*\)/g,
  html: /<a [^<>]*>[^<]*<\/a>|<[^<>]*>/g,
  text: /$^/,
};
/** Characters of text whose words are counted: a page with more is not short. */
const countedMax = 20_000;

const nothing = Buffer.from(' ');

/** Changes when a reader would see a change, or a record. */
function pageHash(key: string | undefined, extracted: unknown): string {
  if (extracted === undefined) return key ?? '';
  return `${key ?? ''}.${hash('sha256', JSON.stringify(extracted), 'base64url').slice(0, 11)}`;
}

function changeOf(own: string, earlier: PageToStore['earlier']): PageRecord['change'] {
  if (earlier === undefined) return undefined;
  return earlier === null ? 'added' : earlier.hash === own ? 'unchanged' : 'changed';
}

/** `de` of `de-AT`. */
function languageOf({ language }: PageMetadata): string | undefined {
  const tag = typeof language === 'string' ? /^([a-z]{2,3})(?:[-_]|$)/i.exec(language.trim()) : undefined;
  return tag?.[1]?.toLowerCase();
}
