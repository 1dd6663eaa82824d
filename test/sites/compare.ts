/** Compares a crawl with what its site expects. Pure: ledger, pages and requests in, faults out. */

import { type Expectations, type Expected, type ExpectedPattern, navigationMark } from './site.ts';

/** Names are paths with their queries; URLs of other origins are written whole. */
export interface Observed {
  readonly status: string;
  readonly notices: readonly string[];
  readonly rows: readonly ObservedRow[];
  /** The pages that were delivered. */
  readonly pages: readonly { readonly name: string; readonly text: string }[];
  /** The site's own log. */
  readonly requests: readonly string[];
  /** The most requests that were in flight at once. */
  readonly inFlightMax: number;
}

export interface ObservedRow {
  readonly name: string;
  /** `scraped`, or the reason. */
  readonly end: string;
  readonly detail?: string | undefined;
}

/** Each fault is a sentence. A right crawl has none. */
export interface Verdict {
  /** Pages that had to be delivered: each, or one of each group of copies. */
  readonly expected: number;
  /** Pages that were delivered, patterns included. */
  readonly delivered: number;
  readonly wronglyMissing: readonly string[];
  readonly wronglyFetched: readonly string[];
  /** Wrong reasons, wrong texts, missing rows, unexpected rows, wrong notices. */
  readonly otherFaults: readonly string[];
}

export function compare(expectations: Expectations, observed: Observed): Verdict {
  const { expected, patterns = [] } = expectations;
  const byName = new Map(expected.map((each) => [each.name, each]));
  const rows = new Map(observed.rows.map((row) => [row.name, row]));
  const groups = Map.groupBy(
    expected.filter((each) => each.kind === 'copy'),
    ({ group }) => group,
  );
  const texts = new Map(observed.pages.map(({ name, text }) => [name, text]));
  const pages = expected.filter((each) => each.kind === 'page');
  return {
    expected: pages.length + groups.size,
    delivered: observed.pages.length,
    wronglyMissing: [
      ...pages.filter(({ name }) => !texts.has(name)).map(({ name }) => `${name} is missing: ${endOf(rows.get(name))}`),
      ...Array.from(groups, ([group, copies]) =>
        copies.some(({ name }) => texts.has(name))
          ? []
          : [`no copy of ${group} was delivered: ${endsOf(copies, rows)}`],
      ).flat(),
    ],
    wronglyFetched: requestFaults(observed.requests, byName, patterns),
    otherFaults: [
      ...expected.flatMap((each) => endFaults(each, rows.get(each.name), groups)),
      ...tooFewRequests(observed.requests, expected),
      ...observed.rows.flatMap((row) => (byName.has(row.name) ? [] : strangerFaults(row, patterns))),
      ...sameNameFaults(observed),
      ...Array.from(groups, ([group, copies]) => groupFaults(group, copies, texts)).flat(),
      ...observed.pages.flatMap(({ name, text }) => textFaults(name, text, byName.get(name))),
      ...jobFaults(expectations, observed),
    ],
  };
}

function endOf(row: ObservedRow | undefined): string {
  if (row === undefined) return 'not in the ledger';
  return row.detail === undefined ? row.end : `${row.end} (${row.detail})`;
}

function endsOf(copies: readonly Expected[], rows: ReadonlyMap<string, ObservedRow>): string {
  return copies.map(({ name }) => `${name} ${endOf(rows.get(name))}`).join(', ');
}

/** Requests for pages once more, to learn whether the site still shows them. */
const samplesMax = 16;

/** Requests that are not expected, and too many requests for one URL. */
function requestFaults(
  requests: readonly string[],
  expected: ReadonlyMap<string, Expected>,
  patterns: readonly ExpectedPattern[],
): string[] {
  const counts = countsOf(requests);
  const matched = patterns.map((pattern) => ({ pattern, requests: 0 }));
  const faults: string[] = [];
  const again: string[] = [];
  for (const [name, count] of counts) {
    const known = expected.get(name);
    const pattern = known ? undefined : matched.find((each) => each.pattern.matches(name));
    if (pattern) pattern.requests += count;
    const most = known ? known.requests[1] : pattern ? 1 : 0;
    const isPage = pattern !== undefined || known?.kind === 'page' || known?.kind === 'copy';
    if (isPage) again.push(...Array.from({ length: count - most }, () => name));
    else if (count > most)
      faults.push(`${name} was requested ${count} times, and ${most} is the most: ${whyNot(known)}`);
  }
  if (again.length > samplesMax) faults.push(`${again.length} requests were for pages once more, such as ${again[0]}`);
  for (const { pattern, requests: all } of matched) {
    if (all > pattern.requestsMax)
      faults.push(`${all} requests to ${String(pattern.matches)}, and ${pattern.requestsMax} is the most`);
  }
  return faults;
}

function whyNot(expected: Expected | undefined): string {
  switch (expected?.kind) {
    case undefined:
      return 'no URL of the site';
    case 'refused':
      return expected.reason;
    case 'unlisted':
      return expected.why;
    case 'page':
    case 'copy':
    case 'ended':
      return 'one is enough';
  }
}

function tooFewRequests(requests: readonly string[], expected: readonly Expected[]): string[] {
  const counts = countsOf(requests);
  return expected.flatMap(({ name, requests: [least] }) => {
    const count = counts.get(name) ?? 0;
    return count < least ? [`${name} was requested ${count} times, and ${least} is the least`] : [];
  });
}

function countsOf(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

/** Faults in how a URL ended. A missing page is not one of them: `wronglyMissing` lists it. */
function endFaults(
  expected: Expected,
  row: ObservedRow | undefined,
  groups: ReadonlyMap<string, readonly Expected[]>,
): string[] {
  const { name } = expected;
  if (expected.kind === 'unlisted') return row ? [`${name} is listed as ${endOf(row)}: ${expected.why}`] : [];
  if (row === undefined) return expected.kind === 'page' ? [] : [`${name} is not in the ledger`];
  switch (expected.kind) {
    case 'page':
      return [];
    case 'copy': {
      if (row.end === 'scraped' || expected.or?.includes(row.end)) return [];
      if (row.end !== 'duplicate_of') return [`${name} ended as ${endOf(row)}, not as duplicate_of`];
      const isOfGroup = groups.get(expected.group)?.some((copy) => copy.name === row.detail);
      return isOfGroup ? [] : [`${name} is ${endOf(row)}, which is no copy of ${expected.group}`];
    }
    case 'ended': {
      if (row.end !== expected.reason) return [`${name} ended as ${endOf(row)}, not as ${expected.reason}`];
      const { details } = expected;
      return details === undefined || details.includes(row.detail ?? '')
        ? []
        : [`${name} is ${endOf(row)}, and not of ${details.join(' or ')}`];
    }
    case 'refused':
      return row.end === expected.reason ? [] : [`${name} ended as ${endOf(row)}, not as ${expected.reason}`];
  }
}

/** Faults of a row whose name is not expected: only a pattern may match it. */
function strangerFaults(row: ObservedRow, patterns: readonly ExpectedPattern[]): string[] {
  const pattern = patterns.find(({ matches }) => matches(row.name));
  if (!pattern) return [`${row.name} is listed as ${endOf(row)}, and is no URL of the site`];
  return pattern.ends.includes(row.end)
    ? []
    : [`${row.name} ended as ${endOf(row)}, not as ${pattern.ends.join(' or ')}`];
}

/** Each name stands once among the rows and once among the pages, and exactly the scraped rows have pages. */
function sameNameFaults({ rows, pages }: Observed): string[] {
  const scraped = new Set(rows.filter(({ end }) => end === 'scraped').map(({ name }) => name));
  const delivered = new Set(pages.map(({ name }) => name));
  return [
    ...twice(rows).map((name) => `${name} is listed twice`),
    ...twice(pages).map((name) => `${name} was delivered twice`),
    ...[...scraped]
      .filter((name) => !delivered.has(name))
      .map((name) => `${name} is listed as scraped, and was not delivered`),
    ...[...delivered]
      .filter((name) => !scraped.has(name))
      .map((name) => `${name} was delivered, and is not listed as scraped`),
  ];
}

function twice(items: readonly { readonly name: string }[]): string[] {
  return [...countsOf(items.map(({ name }) => name))].filter(([, count]) => count > 1).map(([name]) => name);
}

function groupFaults(group: string, copies: readonly Expected[], texts: ReadonlyMap<string, string>): string[] {
  const delivered = copies.filter(({ name }) => texts.has(name)).map(({ name }) => name);
  return delivered.length > 1 ? [`copies of ${group} were delivered: ${delivered.join(', ')}`] : [];
}

function textFaults(name: string, text: string, expected: Expected | undefined): string[] {
  const faults = text.includes(navigationMark) ? [`${name} has text of the navigation`] : [];
  const has = expected?.kind === 'page' || expected?.kind === 'copy' ? expected.has : undefined;
  const times = has === undefined ? 1 : text.split(has).length - 1;
  if (times !== 1) faults.push(`${name} has ${JSON.stringify(has)} ${times} times, not once: ${shortened(text)}`);
  return faults;
}

function shortened(text: string): string {
  return JSON.stringify(text.length > 160 ? `${text.slice(0, 160)}...` : text);
}

function jobFaults({ notices = [], noticesAllowed = [], inFlightMin = 1 }: Expectations, observed: Observed): string[] {
  const told = new Set(observed.notices);
  return [
    ...(observed.status === 'succeeded' ? [] : [`the job ended as ${observed.status}`]),
    ...notices.filter((code) => !told.has(code)).map((code) => `there is no notice ${code}`),
    ...[...told]
      .filter((code) => !notices.includes(code) && !noticesAllowed.includes(code))
      .map((code) => `there is a notice ${code}`),
    ...(observed.inFlightMax < inFlightMin
      ? [`at most ${observed.inFlightMax} requests were in flight at once, and ${inFlightMin} is the least`]
      : []),
  ];
}
