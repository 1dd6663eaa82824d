// A page as text under its own URL: `GET /r/https://example.com/`. A browser must never read a stranger's HTML from this
// origin, which the dashboard shares, so responses are plain text or JSON.
import type { FastifyRequest } from 'fastify';
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
  api.get(
    '/r/*',
    {
      // Parameters belong to the URL of the page.
      config: { permission: 'write', waits: true, beginsWork: true, ignoresUnknownParameters: true },
      schema: { hide: true },
    },
    async (request, reply) => {
      refuseIfIdle(service);
      const url = targetOf(request);
      refuseOwn(url, request, ownUrl);
      const options = optionsOf(request);
      const answer = await scrapePage(service, callerOf(request), { url, ...options }, goneSignal(reply.raw, service));
      if (!answer) throw unavailable('The service stopped before it had the page. Try again later.');
      if (answer.status === 'failed') throw new UserError('page_unreadable', answer.error.detail);
      void reply.header('cache-control', 'no-store').header('x-content-type-options', 'nosniff');
      return wantsJson(request)
        ? reply.send(asJson(answer))
        : reply.header('content-type', 'text/plain; charset=utf-8').send(asText(answer, options.format));
    },
  );
}

type Scraped = Extract<ScrapeAnswer, { readonly status: 'scraped' }>;

/** The raw target: its query belongs to the page. Proxies fold the two slashes of the scheme into one. */
function targetOf({ originalUrl }: FastifyRequest): string {
  const text = originalUrl.replace(/^\/+r\/+/, '');
  const [, scheme, rest] = /^([a-z][a-z\d+.-]*):\/{0,3}(.*)$/is.exec(text) ?? [];
  if (scheme === undefined || rest === undefined || !/^https?$/i.test(scheme))
    throw new UserError(
      'invalid_parameter',
      'Write an absolute http or https URL after `/r/`, like /r/https://example.com/.',
    );
  return `${scheme}://${rest}`;
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
  const given = headerOf(headers, 'x-respond-with') ?? headerOf(headers, 'x-return-format') ?? 'markdown';
  const format = formats.find((one) => one === given.toLowerCase());
  if (format === undefined)
    throw new UserError('invalid_parameter', `\`x-respond-with\`: Give one of ${formats.join(', ')}.`);
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
