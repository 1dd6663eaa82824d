// Reads messages (`.eml`) and web archives (`.mhtml`): MIME (RFC 2045 to 2049, 2557), by `postal-mime`.
import PostalMime, { type Address, type Email } from 'postal-mime';
import type { DocumentBlock, DocumentContent } from '../../core/document.ts';
import { DocumentError, unreadable } from '../parts/document-error.ts';
import type { FileBytes } from '../parts/file-bytes.ts';
import { element, htmlText, paragraphs, textOf } from '../parts/html-text.ts';

const nestingMax = 50;
const headersBytesMax = 2 ** 20;
const attachmentsListedMax = 100;

export async function readMail({ bytes }: FileBytes): Promise<DocumentContent> {
  const mail = await parsed(bytes);
  const { subject = '', from, date, html = '', text = '' } = mail;
  const header = new Map(mail.headers.map(({ key, value }) => [key, value]));
  if (header.size === 0 || (html.trim() === '' && text.trim() === '' && subject === ''))
    throw unreadable('The file is damaged: it is no message with a text.');
  const body = html.trim() === '' ? paragraphs(text) : html;
  const isPage =
    header.has('snapshot-content-location') || /^\s*multipart\/related/i.test(header.get('content-type') ?? '');
  if (isPage && textOf(body.replaceAll(/<(title|style|script)\b[^]*?(?:<\/\1\s*>|$)|<[^<>]*$/gi, '')).trim() === '')
    throw unreadable('The file is damaged: it has no page with a text.');
  if (isPage) return { metadata: { title: subject, publishedTime: date }, blocks: [{ kind: 'html', html: body }] };
  return {
    metadata: { title: subject, author: from === undefined ? undefined : shown([from]), publishedTime: date },
    blocks: [headOf(mail, header.get('date')), body, attachmentsOf(mail)]
      .filter((part) => part !== '')
      .map((part): DocumentBlock => ({ kind: 'html', html: part })),
  };
}

async function parsed(bytes: Uint8Array): Promise<Email> {
  try {
    return await PostalMime.parse(bytes, {
      maxNestingDepth: nestingMax,
      maxHeadersSize: headersBytesMax,
      maxRfc822NestingDepth: 3,
    });
  } catch (error) {
    // The library only throws for its limits.
    throw new DocumentError(
      'parse_budget',
      `The message is too large to read: ${error instanceof Error ? error.message : ''}`,
    );
  }
}

function headOf({ subject = '', from, to = [], cc = [] }: Email, date = ''): string {
  const fields: readonly (readonly [name: string, value: string])[] = [
    ['From', from === undefined ? '' : shown([from])],
    ['To', shown(to)],
    ['Cc', shown(cc)],
    ['Date', date],
  ];
  const lines = fields.filter(([, value]) => value !== '').map(([name, value]) => `${name}: ${htmlText(value)}`);
  return (
    (subject === '' ? '' : element('h1', htmlText(subject))) +
    (lines.length === 0 ? '' : element('p', lines.join('<br>')))
  );
}

function shown(addresses: readonly Address[]): string {
  return addresses
    .flatMap((address) => address.group ?? [address])
    .map(({ name, address }) => (name === '' || address === '' ? name + address : `${name} <${address}>`))
    .slice(0, attachmentsListedMax)
    .join(', ');
}

/** Files within a message are named, not read. */
function attachmentsOf({ attachments }: Email): string {
  const names = attachments
    .filter(({ related, filename }) => related !== true && filename !== null)
    .slice(0, attachmentsListedMax)
    .map(({ filename }) => element('li', htmlText(filename ?? '')));
  return names.length === 0 ? '' : element('ul', names.join(''));
}
