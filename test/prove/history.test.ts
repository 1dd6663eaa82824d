// The judge of histories: a sound one passes, and one with a single wrong response does not.
import { expect, test } from 'vitest';
import { judge } from '../../prove/history/judge.ts';
import type { Call, History, JobState, Operation, Outcome, PageRow } from '../../prove/history/operation.ts';

const id = 'A';
const urls = [1, 2, 3, 4].map((page) => `http://a.test/${page}`);

let now = 0;

/** The operations of a list, one after the other. */
function history(...steps: readonly (readonly [Call, Outcome | undefined])[]): Operation[] {
  return steps.map(([call, outcome]) => ({ client: 'one', from: now++, to: now++, call, outcome }));
}

const create: Call = {
  name: 'create',
  key: 'k',
  expected: urls,
  changes: Object.fromEntries(urls.slice(0, 3).map((url) => [url, 'unchanged'])),
};
const ask: Call = { name: 'job', job: id };
const read = (after: number, limit = 400): Call => ({ name: 'data', job: id, after, limit });

function job(scraped: number, more: Partial<JobState> = {}): Outcome {
  const none = { queued: 0, inFlight: 0, discarded: 0, failed: 0, outside: 0 };
  const queued = more.finishedAt == null ? urls.length - scraped : 0;
  const progress = { ...none, discovered: urls.length, scraped, queued };
  return { kind: 'job', job: { id, status: 'running', finishedAt: null, progress, ...more } };
}
const ended = job(4, { status: 'succeeded', finishedAt: 9 });

const row = (page: number, more: Partial<PageRow> = {}): PageRow => ({
  page,
  url: urls[page - 1] ?? '',
  hash: `h${page}`,
  textHash: `t${page}`,
  isErased: false,
  ...more,
});
const rows = (pages: readonly PageRow[], isEnd = false): Outcome => ({ kind: 'pages', rows: pages, isEnd });
const ledger: Outcome = {
  kind: 'urls',
  rows: urls.map((url, index) => ({ url, status: 'scraped', page: index + 1 })),
};
const list = (...ids: readonly string[]): Outcome => ({ kind: 'list', ids });
const all = [1, 2, 3, 4].map((page) => row(page));
const erase: Call = { name: 'erase', job: id, page: 2 };
const changes = (after: number): Call => ({ name: 'changes', job: id, after, limit: 9 });
const change = (page: number, kind = 'unchanged'): string => JSON.stringify({ url: urls[page - 1], change: kind });

const sound: History = history(
  [create, undefined],
  [create, job(0)],
  [ask, job(1)],
  [read(0, 2), rows([row(1), row(2)])],
  [ask, undefined],
  [read(2, 2), rows([row(3), row(4)])],
  [ask, ended],
  [read(4), rows([], true)],
  [erase, { kind: 'done' }],
  [read(0), rows([row(1), row(2, { isErased: true, hash: 'x' }), row(3), row(4)], true)],
  [changes(0), { kind: 'changes', rows: [change(1), change(2)], isEnd: false }],
  [changes(1), { kind: 'changes', rows: [change(2), change(3)], isEnd: true }],
  [{ name: 'urls', job: id }, ledger],
  [{ name: 'list' }, list(id)],
);

test('judge: finds nothing in a sound history with lost responses, an old cursor and an erased page', () => {
  expect(judge(sound)).toEqual([]);
});

test('judge: finds nothing where a response of before arrives late', () => {
  const early = { ...history([ask, job(1)])[0]!, from: 3 };
  expect(judge([...sound, early])).toEqual([]);
});

const deleted: readonly (readonly [Call, Outcome | undefined])[] = [[{ name: 'delete', job: id }, { kind: 'done' }]];
const gone: Outcome = { kind: 'refused', status: 410, code: 'job_data_expired' };

test('judge: finds nothing where results are gone after a deletion', () => {
  expect(judge([...sound, ...history(...deleted, [read(0), gone])])).toEqual([]);
});

test.each<[rule: string, ...steps: (readonly [Call, Outcome | undefined])[]]>([
  ['one job a key', [create, { ...ended, job: { ...(ended as { job: JobState }).job, id: 'B' } } as Outcome]],
  ['one key a job', [{ ...create, key: 'other' }, ended]],
  ['acknowledged jobs are listed', [{ name: 'list' }, list()]],
  ['a job is listed once', [{ name: 'list' }, list(id, id)]],
  ['no job without a request', [{ name: 'list' }, list(id, 'B')]],
  ['a job that was acknowledged stays', [ask, { kind: 'refused', status: 404, code: 'job_not_found' }]],
  ['an ended job never changes', [ask, job(4, { status: 'cancelled', finishedAt: 9 })]],
  ['an ended job never changes', [ask, job(4)]],
  ['no page is forgotten', [ask, job(3)]],
  ['a reader sees what others saw', [read(0), rows(all.slice(0, 3))]],
  ['pages come in order', [read(0), rows([row(1), row(3), row(2), row(4)])]],
  ['pages come in order', [read(0, 3), rows(all)]],
  ['pages come in order', [read(1), rows(all)]],
  ['nothing follows the end', [read(4), rows([row(5, { url: 'http://a.test/5' })], true)]],
  ['every create makes a job', [create, { kind: 'refused', status: 422, code: 'idempotency_key_reused' }]],
  ['a page never changes', [read(0), rows([row(1, { textHash: 'other' }), ...all.slice(1)], true)]],
  ['a page never changes', [read(0), rows([row(1, { url: 'http://a.test/9' }), ...all.slice(1)], true)]],
  ['a URL is one page', [read(0), rows([row(1), row(2, { url: urls[0]! }), row(3), row(4)], true)]],
  ['an erased page is gone', [read(0), rows(all, true)]],
  ['only erased pages are empty', [read(2), rows([row(3, { isErased: true }), row(4)], true)]],
  ['deleted results are gone', ...deleted, [read(4), rows([], true)]],
  ['only deleted results are gone', [read(4), gone]],
  ['a change never changes', [changes(0), { kind: 'changes', rows: [change(1, 'removed')], isEnd: false }]],
  ['changes are those of the site', [{ ...create, changes: { [urls[3]!]: 'removed' } }, ended]],
  [
    'a cancelled run removes nothing',
    [ask, job(4, { status: 'cancelled', finishedAt: 9 })],
    [changes(3), { kind: 'changes', rows: [change(4, 'removed')], isEnd: true }],
  ],
  ['a URL changes once', [changes(3), { kind: 'changes', rows: [change(1)], isEnd: true }]],
  [
    'the ledger is whole',
    [
      { name: 'urls', job: id },
      { kind: 'urls', rows: [] },
    ],
  ],
  [
    'ledger and pages agree',
    [
      { name: 'urls', job: id },
      { kind: 'urls', rows: urls.map((url, index) => ({ url, status: 'scraped', page: 4 - index })) },
    ],
  ],
])('judge: reports "%s" when one response breaks it', (rule, ...steps) => {
  expect(judge([...sound, ...history(...steps)]).map((violation) => violation.rule)).toContain(rule);
});

test('judge: finds sums that do not add up, jobs that do not end, and pages that never came', () => {
  const odd = {
    ...(job(4) as { job: JobState }).job,
    progress: { ...(job(4) as { job: JobState }).job.progress, queued: 1 },
  };
  const unended = history([create, job(0)], [ask, { kind: 'job', job: odd }]);
  expect(judge(unended).map(({ rule }) => rule)).toEqual(['progress adds up', 'every job ends']);
  const short = history([create, job(0)], [ask, job(4, { status: 'failed', finishedAt: 9 })]);
  expect(judge(short).map(({ rule }) => rule)).toEqual(['a job that nobody ends succeeds', 'every page comes']);
});
