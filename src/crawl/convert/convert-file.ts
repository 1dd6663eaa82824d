// Converts one linked file. Runs in a converter thread, as for pages. Links in a file are not followed.
import type { DocumentKind } from '../../core/bytes/file-kind.ts';
import { ownedCopy } from '../../core/bytes/owned-bytes.ts';
import type { PageMetadata } from '../../core/page.ts';
import type { CountedCode } from '../../core/job-codes.ts';
import type { CrawlError } from '../../core/request.ts';
import { DocumentError } from '../../documents/parts/document-error.ts';
import { readDocument } from '../../documents/read-document.ts';
import { convertDocument } from '../../extract/convert-document.ts';
import { lineHashes } from '../../extract/text/text-lines.ts';
import { robotsTagDirectives } from '../../robots/robots-tag.ts';
import { dedupeKey } from '../../url/dedupe-key.ts';
import { validatorFor } from './validator-for.ts';
import type { ConvertedPage, PageInput } from './converter.ts';
import { formatsOf, textFormats, toPageRecord } from './page-record.ts';
import { isError, pageBytesMax, unpackBody } from './unpack-body.ts';

export async function convertFile(input: PageInput, kind: DocumentKind): Promise<ConvertedPage> {
  const { headers, statusCode } = input;
  const { contentType, contentEncoding, etag, lastModified, contentLanguage, robotsTag } = headers;
  const bytes = unpackBody(input.body, contentEncoding, pageBytesMax);
  if (isError(bytes)) return { kind: 'error', error: bytes };
  const { spec } = input.job;
  // A reader of files can take the memory that it is given.
  const unpacked = spec.storeRaw ? ownedCopy(bytes) : undefined;
  try {
    const document = await readDocument(kind, { bytes, contentType });
    if (!document) return { kind: 'binary', detail: contentType };
    const { metadata, text, plainText, outputs } = convertDocument(document, {
      url: input.fetchedUrl,
      outputFormat: spec.outputFormat,
      formats: textFormats(spec),
    });
    const lines = input.lines && {
      lines: lineHashes(`${metadata.title}\n${plainText}`, { url: input.fetchedUrl, ...input.lines }),
    };
    const remarks = remarksOn(metadata);
    if (plainText.length < spec.minLength) {
      return {
        kind: 'short',
        detail: `${plainText.length} of ${spec.minLength} characters`,
        links: [],
        ...lines,
        ...remarks,
      };
    }
    const robots = [...robotsTagDirectives(robotsTag)];
    const language = contentLanguage.split(',', 1)[0]?.trim() ?? '';
    const page = toPageRecord({
      url: input.requestUrl,
      fetchedUrl: input.fetchedUrl,
      fetchedKey: dedupeKey(new URL(input.fetchedUrl)),
      metadata: {
        ...(language !== '' && { language }),
        ...metadata,
        ...(robots.length > 0 && { robots }),
        statusCode,
        ...(input.isUnverified === true && { tlsVerified: false }),
        ...(contentType !== '' && { contentType }),
        ...(etag !== '' && { etag }),
        ...(lastModified !== '' && { lastModified }),
      },
      text,
      type: kind,
      validator: validatorFor(input),
      earlier: input.earlier,
      // A file has no elements to read fields from.
      extracted: hasRecord(spec) ? null : undefined,
      formats: formatsOf(spec, outputs),
      statusCode,
      shape: spec,
    });
    return { kind: 'page', page, links: [], ...lines, ...remarks, ...(unpacked && { unpacked }) };
  } catch (error) {
    return { kind: 'error', error: errorOf(error) };
  }
}

function hasRecord({ extract }: PageInput['job']['spec']): boolean {
  return extract !== null && (extract.schema !== null || Object.keys(extract.fields).length > 0);
}

function remarksOn(metadata: PageMetadata): { readonly remarks?: readonly CountedCode[] } {
  const remarks: CountedCode[] = [];
  if (metadata['truncated'] === true) remarks.push('truncated');
  const warning = metadata['warning'];
  if (warning === 'no_text_layer' || warning === 'unreadable_text') remarks.push(warning);
  return remarks.length === 0 ? {} : { remarks };
}

function errorOf(error: unknown): CrawlError {
  if (error instanceof DocumentError) return { reason: error.reason, message: error.message };
  throw error;
}
