// A page as text under its own URL: `GET /r/https://example.com/`. A browser must never read a stranger's HTML from this
// origin, which the dashboard shares, so responses are plain text or JSON.
import type { FastifyReply, FastifyRequest } from 'fastify';
import { UserError } from '../../core/errors.ts';
import type { ScrapeAnswer } from '../../jobs/scrape-page.ts';
import { scrapePage } from '../../jobs/scrape-page.ts';
import { hostKey } from '../../core/host-key.ts';
import { type Api, callerOf, goneSignal, type Service } from '../service.ts';
import { refuseIfIdle, unavailable } from './idle.ts';

const formats = ['markdown', 'html', 'text'] as const;
/** Characters of a token of a language model, roughly. */
const charactersPerToken = 4;

/** Headers that ask for something that this service does not do. */
const refusedHeaders = [
  'x-wait-for-selector',
  'x-proxy-url',
  'x-set-cookie',
  'x-with-generated-alt',
  'x-engine',
  'x-respond-timing',
];

export function registerReader(api: Api, service: Service, ownUrl: string | undefined): void {
  for (const path of ['/r', '/r/*'])
    api.get(
      path,
      {
        // Parameters belong to the URL of the page.
        config: { permission: 'write', waits: true, beginsWork: true, ignoresUnknownParameters: true },
        schema: { hide: true },
      },
      (request, reply) => readPage(request, reply, service, ownUrl),
    );
}

async function readPage(
  request: FastifyRequest,
  reply: FastifyReply,
  service: Service,
  ownUrl: string | undefined,
): Promise<FastifyReply> {
  refuseIfIdle(service);
  const url = targetOf(request);
  refuseOwn(url, request, ownUrl);
  const options = optionsOf(request);
  const answer = await scrapePage(
    service,
    callerOf(request),
    { url, ...options },
    goneSignal(reply.raw, service),
  ).catch((error: unknown) => {
    throw aboutHeaders(error);
  });
  if (!answer) throw unavailable('The service stopped before it had the page. Try again later.');
  if (answer.status === 'failed') {
    const { reason, detail } = answer.error;
    throw new UserError('page_unreadable', detail, [], { reason });
  }
  void reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
  return wantsJson(request)
    ? reply.send(asJson(answer))
    : reply.header('content-type', 'text/plain; charset=utf-8').send(asText(answer, options.format));
}

type Scraped = Extract<ScrapeAnswer, { readonly status: 'scraped' }>;

/** The raw target: its query belongs to the page. Proxies fold the two slashes of the scheme into one. */
function targetOf({ originalUrl }: FastifyRequest): string {
  const text = decodeWhole(originalUrl.replace(/^\/+r(?:\/+|$)/, ''));
  const [, scheme, rest] = /^([a-z][a-z\d+.-]*):\/{0,3}(.*)$/is.exec(text) ?? [];
  if (scheme === undefined || rest === undefined || !/^https?$/i.test(scheme))
    throw new UserError(
      'invalid_parameter',
      'Write an absolute http or https URL after `/r/`, like /r/https://example.com/.',
    );
  return `${scheme}://${rest}`;
}

/** Programs that build the URL from parts escape the whole target. Its own escapes are then escaped twice. */
function decodeWhole(text: string): string {
  if (!/^https?%3a/i.test(text)) return text;
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A page of this service would request itself again and again. */
function refuseOwn(url: string, { headers }: FastifyRequest, ownUrl: string | undefined): void {
  const host = URL.parse(url);
  const own = [ownUrl, `http://${headers.host ?? ''}`].flatMap((text) => URL.parse(text ?? '') ?? []);
  if (host && own.some((one) => hostKey(one) === hostKey(host) || one.host === host.host))
    throw new UserError('destination_not_allowed', 'The URL is on this service itself. Give the URL of another site.');
}

function optionsOf({ headers }: FastifyRequest) {
  for (const name of refusedHeaders)
    if (headers[name] !== undefined)
      throw new UserError('invalid_parameter', `\`${name}\` is not supported. Leave it out.`);
  const name = ['x-respond-with', 'x-return-format'].find((one) => headerOf(headers, one) !== undefined) ?? '';
  const given = headerOf(headers, name) ?? 'markdown';
  const format = formats.find((one) => one === given.toLowerCase());
  if (format === undefined) throw new UserError('invalid_parameter', `\`${name}\`: Give one of ${formats.join(', ')}.`);
  const included = headerOf(headers, 'x-target-selector');
  const excluded = headerOf(headers, 'x-remove-selector');
  const timeout = headerOf(headers, 'x-timeout');
  if (timeout !== undefined && !(/^\d{1,3}$/.test(timeout) && Number(timeout) >= 1 && Number(timeout) <= 300))
    throw new UserError('invalid_parameter', '`x-timeout`: Give whole seconds from 1 to 300.');
  return {
    format,
    ...(included !== undefined && { include_elements: included }),
    ...(excluded !== undefined && { exclude_elements: excluded }),
    ...(timeout !== undefined && { timeout: Number(timeout) }),
  };
}

const headerNames: Readonly<Record<string, string>> = {
  include_elements: 'x-target-selector',
  exclude_elements: 'x-remove-selector',
};

/** There is no body here: an error about a field of one is about a header or the URL. */
function aboutHeaders(error: unknown): unknown {
  if (!(error instanceof UserError) || error.code !== 'invalid_body') return error;
  const fields = error.fields.map(({ field, message }) => ({ field: headerNames[field] ?? field, message }));
  const detail = fields.map(({ field, message }) => `\`${field}\`: ${message}`).join(' ');
  return new UserError('invalid_parameter', detail, fields);
}

function headerOf(headers: FastifyRequest['headers'], name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function wantsJson({ headers }: FastifyRequest): boolean {
  return /\bapplication\/json\b/i.test(headers.accept ?? '');
}

function asText({ url, text, meta }: Scraped, format: (typeof formats)[number]): string {
  if (format !== 'markdown') return text;
  const published = typeof meta['publishedTime'] === 'string' ? `Published Time: ${meta['publishedTime']}\n\n` : '';
  return `Title: ${oneLine(meta.title)}\n\nURL Source: ${url}\n\n${published}Markdown Content:\n${text}\n`;
}

/** A title must not look like another line of the head. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function asJson({ url, text, meta }: Scraped): object {
  const { title, description, publishedTime } = meta;
  return {
    code: 200,
    status: 20_000,
    data: {
      title,
      description,
      url,
      content: text,
      ...(typeof publishedTime === 'string' && { publishedTime }),
      usage: { tokens: Math.ceil(text.length / charactersPerToken) },
    },
  };
}
