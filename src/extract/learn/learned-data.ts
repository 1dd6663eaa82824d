/** The structured data of a page of a job that learns, and what to show the model if it has to be asked. */
import { isTag } from 'domhandler';
import { type PageData, readPageData, type WantedData } from '../fields/page-data.ts';
import { oneLine } from '../fields/shown-text.ts';
import type { OpenPage } from '../open-page.ts';
import { toMarkdown } from '../write/markdown/to-markdown.ts';
import { type PageAnswer, readLearned } from './read-learned.ts';
import type { Signature } from './signature.ts';
import type { SiteView } from './site-view.ts';

/** What a job that learns knows when it reads a page. */
export interface Learning {
  readonly view: SiteView;
  /** Whether the model can be asked about this page. */
  readonly mayAsk: boolean;
  /** What the model answered. */
  readonly answer?: PageAnswer;
  /** Why there is no answer, although one was asked for. */
  readonly isBadAnswer?: boolean;
  /** The page is read as an earlier job read it, which has asked what was to be asked. @default false */
  readonly isEarlier?: boolean;
}

/** A page that the model is to be asked about. */
export interface Asks {
  readonly signature: Signature;
  readonly template: number;
  /** The page as text, with its links. */
  readonly prompt: string;
  readonly html: string;
}

/** Characters that a model is shown of a page. */
const promptLengthMax = 60_000;
/** Bytes of a page that is kept to learn from it. */
const htmlBytesMax = 2 ** 20;

export function readLearnedData(
  wanted: WantedData,
  isWanted: boolean,
  page: OpenPage,
  url: string,
  learning: Learning,
  source: () => string,
): PageData & { readonly asks?: Asks } {
  if (!isWanted) return readPageData(wanted, isWanted, page);
  const usual = readPageData({ ...wanted, fields: [] }, isWanted, page);
  const { view, answer, mayAsk, isBadAnswer = false, isEarlier = false } = learning;
  const { extracted, from, isIncomplete, found, verdict, signature } = readLearned(wanted, page, url, view, answer);
  const problems = isBadAnswer ? withBadAnswer(from.problems) : from.problems;
  const html = verdict.kind === 'ask' && mayAsk && !page.isCut ? source() : '';
  const canAsk = html !== '' && Buffer.byteLength(html) <= htmlBytesMax;
  return {
    ...usual,
    extracted,
    metadata: { ...usual.metadata, extractedFrom: { ...from, problems } },
    isIncomplete: isIncomplete && !isEarlier,
    found,
    ...(canAsk && { asks: { signature, template: verdict.template, prompt: promptOf(page), html } }),
  };
}

type Problems = NonNullable<PageData['metadata']['extractedFrom']>['problems'];

function withBadAnswer(problems: Problems): Problems {
  return Object.fromEntries(
    Object.entries(problems).map(([name, problem]) => [name, problem === 'unasked' ? 'bad_answer' : problem]),
  );
}

function promptOf({ document, elements, urls }: OpenPage): string {
  const title = oneLine(elements.title?.children.map((node) => ('data' in node ? node.data : '')).join('') ?? '');
  const body = document.children.filter((node) => isTag(node));
  const text = toMarkdown({ nodes: body, skipped: new Set() }, urls.readable);
  return `${title}\n\n${text}`.slice(0, promptLengthMax).toWellFormed();
}
