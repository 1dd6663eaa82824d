// A page as text under its own URL: `GET /r/https://example.com/`. A browser must never read a stranger's HTML from this
// origin, which the dashboard shares, so responses are plain text or JSON.
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { z } from 'zod';
import { UserError } from '../../core/errors.ts';
import type { ScrapeResponse } from '../../jobs/scrape-page.ts';
import { scrapePage } from '../../jobs/scrape-page.ts';
import { hostKey } from '../../core/host-key.ts';
import { type Api, callerOf, goneSignal, type Service } from '../service.ts';
import { refuseIfIdle, stoppedEarly } from './idle.ts';
import { problemResponse } from './schemas.ts';
import {
  type ReaderFormat,
  readerHeaderNames,
  readerHeaders,
  readerHeaderSchema,
  type ReaderWants,
} from './reader-headers.ts';

const body = z.strictObject({
  url: z.string({ error: 'Give a URL.' }).describe('An http or https URL. Without a scheme, `https://` is added.'),
});

const readPageResponse = z.object({
  code: z.literal(200),
  status: z.literal(20_000),
  data: z.object({
    title: z.string(),
    description: z.string(),
    url: z.string(),
    content: z.string(),
    publishedTime: z.string().optional(),
    links: z.array(z.string()).readonly().optional(),
    images: z.array(z.string()).readonly().optional(),
    usage: z.object({ tokens: z.int().describe('A quarter of the characters.') }),
  }),
});

/** Characters of a token of a language model, roughly. */
const charactersPerToken = 4;

const documented: FastifySchema = {
  tags: ['scraper'],
  headers: readerHeaderSchema,
  response: {
    200: {
      description:
        'The page as plain text, after lines with its title and URL. With `Accept: application/json`, as JSON.',
      content: { 'text/plain': { schema: z.string() }, 'application/json': { schema: readPageResponse } },
    },
    '4xx': problemResponse,
    '5xx': problemResponse,
  },
};

export function registerReader(api: Api, service: Service, ownUrl: string | undefined): void {
  const config = { permission: 'write', waits: true, beginsWork: true } as const;
  // Parameters belong to the URL of the page.
  const anyQuery = { ...config, ignoresUnknownParameters: true } as const;
  api.get(
    '/r/*',
    {
      config: anyQuery,
      schema: {
        ...documented,
        operationId: 'readPage',
        summary: 'Fetch one page and return its text',
        description:
          'Everything after `/r/` is the URL of the page, with its query. A page that cannot be read is a 422.',
        params: z.object({ '*': z.string().describe('An absolute http or https URL.') }),
      },
    },
    (request, reply) => readPage(request, reply, service, { url: targetOf(request), ownUrl }),
  );
  // The only form for a URL with a fragment, which no client sends in a path.
  api.post(
    '/r',
    {
      config,
      schema: {
        ...documented,
        operationId: 'readPageOf',
        summary: 'Fetch one page and return its text, with its URL in the body',
        description: 'The form for a URL with a fragment, which no client sends in a path.',
        body,
      },
    },
    (request, reply) => readPage(request, reply, service, { url: request.body.url, ownUrl }),
  );
}

async function readPage(
  request: FastifyRequest,
  reply: FastifyReply,
  service: Service,
  { url, ownUrl }: { readonly url: string; readonly ownUrl: string | undefined },
): Promise<FastifyReply> {
  refuseIfIdle(service);
  refuseOwn(url, request, ownUrl);
  const { options, wants } = readerHeaders(request.headers);
  const response = await scrapePage(
    service,
    callerOf(request),
    { url, ...options },
    goneSignal(reply.raw, service),
  ).catch((error: unknown) => {
    throw aboutHeaders(error);
  });
  if (!response) throw stoppedEarly();
  if (response.status === 'failed') {
    const { reason, detail } = response.error;
    throw new UserError('page_unreadable', detail, [], { reason });
  }
  const page = { ...response, text: shaped(response, wants) };
  void reply.header('cache-control', 'no-store');
  return wantsJson(request)
    ? reply.send(asJson(page, wants))
    : reply.header('content-type', 'text/plain; charset=utf-8').send(asText(page, options.format));
}

type Scraped = Extract<ScrapeResponse, { readonly status: 'scraped' }>;

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
  // Without a scheme it is completed later.
  const host = URL.parse(/^https?:/i.test(url) ? url : `https://${url}`);
  const own = [ownUrl, `http://${headers.host ?? ''}`].flatMap((text) => URL.parse(text ?? '') ?? []);
  if (host && own.some((one) => hostKey(one) === hostKey(host) || one.host === host.host))
    throw new UserError('destination_not_allowed', 'The URL is on this service itself. Give the URL of another site.');
}

/** There is no body here: an error about a field of one is about a header or the URL. */
function aboutHeaders(error: unknown): unknown {
  if (!(error instanceof UserError) || error.code !== 'invalid_body') return error;
  const fields = error.fields.map(({ field, message }) => ({ field: readerHeaderNames[field] ?? field, message }));
  const detail = fields.map(({ field, message }) => `\`${field}\`: ${message}`).join(' ');
  return new UserError('invalid_parameter', detail, fields);
}

function wantsJson({ headers }: FastifyRequest): boolean {
  return /\bapplication\/json\b/i.test(headers.accept ?? '');
}

/** The text within the budget of the client, which is told when it is cut, and the links of the page. */
function shaped({ text, formats }: Scraped, { maxTokens, tokenBudget, ...lists }: ReaderWants): string {
  const tokens = tokensOf(text);
  if (tokenBudget !== undefined && tokens > tokenBudget)
    throw new UserError(
      'page_unreadable',
      `The page has about ${tokens} tokens, and \`x-token-budget\` is ${tokenBudget}.`,
    );
  const isCut = maxTokens !== undefined && tokens > maxTokens;
  const head = isCut
    ? `${text.slice(0, maxTokens * charactersPerToken)}\n\n[Cut after about ${maxTokens} of ${tokens} tokens: \`x-max-tokens\`.]`
    : text;
  return [
    head,
    ...(['images', 'links'] as const).flatMap((name) => listed(name, lists[name] ? formats?.[name] : [])),
  ].join('\n\n');
}

function listed(name: 'images' | 'links', urls: readonly string[] = []): readonly string[] {
  const title = name === 'images' ? 'Images' : 'Links';
  return urls.length === 0 ? [] : [`${title}:\n${urls.map((url) => `- ${url}`).join('\n')}`];
}

function tokensOf(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}

function asText({ url, text, meta }: Scraped, format: ReaderFormat): string {
  if (format !== 'markdown') return text;
  const published = typeof meta['publishedTime'] === 'string' ? `Published Time: ${meta['publishedTime']}\n\n` : '';
  return `Title: ${oneLine(meta.title)}\n\nURL Source: ${url}\n\n${published}Markdown Content:\n${text}\n`;
}

/** A title must not look like another line of the head. */
function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

function asJson({ url, text, meta, formats }: Scraped, { links, images }: ReaderWants): object {
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
      ...(links && { links: formats?.links ?? [] }),
      ...(images && { images: formats?.images ?? [] }),
      usage: { tokens: tokensOf(text) },
    },
  };
}
