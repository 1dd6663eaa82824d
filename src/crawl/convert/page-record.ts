import { contentKey } from './content-key.ts';
import type { JobSpec, OutputFormat } from '../../core/job.ts';
import type { PageFormats, PageMetadata, PageRecord } from '../../core/page.ts';
import { encodePage, type PageToEncode } from '../../page/encode.ts';
import { type TitleShape, withTitle } from '../../page/page-title.ts';
import { type Shape, shapeMarkdown } from '../../shape/shape-markdown.ts';

export interface PageToStore extends PageToEncode {
  readonly fetchedKey: string;
  readonly copyKey?: string | undefined;
  readonly statusCode: number;
  readonly asksPassword?: boolean;
  readonly isFrame?: boolean;
  readonly droppedWords?: Readonly<Record<string, number>>;
  /** The shape of Markdown. Copies are recognised by the whole text, whatever its shape. */
  readonly shape: Shape & { readonly title: TitleShape; readonly outputFormat: OutputFormat };
}

/** The formats of a job that are texts, besides its output format. */
export function textFormats({ formats, outputFormat }: Pick<JobSpec, 'formats' | 'outputFormat'>): OutputFormat[] {
  return formats
    .filter((format) => format !== 'links' && format !== 'images' && format !== 'source')
    .filter((format) => format !== outputFormat);
}

/** The further outputs of a page; undefined if the job wants none. */
export function formatsOf(
  spec: Pick<JobSpec, 'formats' | 'listsDropped'> & Shape,
  outputs: PageFormats,
): PageFormats | undefined {
  if (spec.formats.length === 0 && spec.listsDropped !== true) return undefined;
  const { markdown } = outputs;
  return markdown === undefined ? outputs : { ...outputs, markdown: shapeMarkdown(markdown, spec) };
}

/** A page ready to be stored, with the keys by which its copies are recognised. */
export function toPageRecord(page: PageToStore): PageRecord {
  const {
    fetchedUrl,
    fetchedKey,
    copyKey,
    metadata,
    text,
    statusCode,
    asksPassword = false,
    isFrame = false,
    droppedWords = {},
    shape,
  } = page;
  const language = languageOf(metadata);
  const shaped = shapeMarkdown(text, shape);
  return {
    ...encodePage({ ...page, text: shape.title === 'auto' ? withTitle(shaped, metadata, shape.outputFormat) : shaped }),
    fetchedKey,
    ...(copyKey !== undefined && { copyKey }),
    ...(text !== '' && { contentKey: contentKey(metadata.title, text, fetchedUrl) }),
    statusCode,
    ...(asksPassword && { asksPassword }),
    ...(isFrame && { isFrame }),
    ...(Object.keys(droppedWords).length > 0 && { droppedWords }),
    ...(language !== undefined && { language }),
  };
}

/** `de` of `de-AT`. */
function languageOf({ language }: PageMetadata): string | undefined {
  const tag = typeof language === 'string' ? /^([a-z]{2,3})(?:[-_]|$)/i.exec(language.trim()) : undefined;
  return tag?.[1]?.toLowerCase();
}
