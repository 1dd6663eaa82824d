/** Puts the URLs that one program of a site answers into one group, its template, so that a group without end can be seen. */

import { normalisedUrl } from './dedupe-key.ts';
import { hostKey } from '../core/host-key.ts';

export interface UrlTemplates {
  /** Host, pattern of the path, and names of the query parameters: `a.example:443/p/#?lang&page`. */
  readonly fine: string;
  /**
   * A wider group that the fine one is part of, where one trap fills many fine ones. With at least two different query
   * parameters, all such queries of the path (`a.example:443/shop?`): one parameter makes no combinations, and what
   * `?id=17` says in numbers is not to keep the others going. With fewer, if a segment stands twice in the path, all
   * such paths under the same first segment (`a.example:443/blog/{repeating}`), since a link that should have begun with
   * `/` leads through every page there. Else, all that lies below a random id (`a.example:443/s/{token}/**`): a session id
   * that is new with every visit makes all pages of the site anew.
   */
  readonly coarse?: string;
  /**
   * The pages that can make endless numbers of one another belong to one family: the templates of a path whatever its
   * parameters and repetitions, all that lies below a random id, and all dated URLs of a first segment, since the months, days
   * and events of a calendar lead to each other.
   */
  readonly family: string;
  /**
   * Which numbers make a text new. `none`: the path repeats itself three times, or there are at least two different query
   * parameters. `undated`: the URL holds a date, so those that dates and times are made of do not. `all`: elsewhere, since a
   * number may be all that a page has to say.
   */
  readonly numbers: CountedNumbers;
}

export type CountedNumbers = 'none' | 'undated' | 'all';

/**
 * Names the templates of a URL. In the path, runs of digits become `#`, random ids `{token}`, what stands there three
 * times in a row is written once with `+`, and a path that still returns to a segment three times is only the set of its
 * segments, `{repeating}`. Words stay: pages with names of their own have templates of their own. What a group comes to
 * depends on its texts, so a template that holds too much is no harm, and one that holds too little overlooks a trap.
 *
 * At most 30 characters longer than the URL. Takes time in proportion to the URL's length, up to sorting what is in it.
 */
export function urlTemplates(url: URL): UrlTemplates {
  const href = normalisedUrl(url);
  const pathAt = href.indexOf('/', href.indexOf('//') + 2);
  const queryAt = href.indexOf('?', pathAt);
  const { pattern, loop, repeatsThrice } = pathPattern(
    queryAt === -1 ? href.slice(pathAt) : href.slice(pathAt, queryAt),
  );
  const host = hostKey(url);
  const names = queryAt === -1 ? noNames : parameterNames(href.slice(queryAt + 1));
  const namePatterns = names.size === 0 ? '' : `?${distinctSorted([...names].map(namePattern)).join('&')}`;
  const token = belowToken(pattern);
  const coarse = names.size > 1 ? `${pattern}?` : (loop ?? token);
  const dated = isDated(href.slice(pathAt), names, namePatterns);
  const many = repeatsThrice || (names.size > 1 && !dated);
  return {
    fine: host + pattern + namePatterns,
    ...(coarse !== undefined && { coarse: host + coarse }),
    family: host + (loop ?? token ?? (dated ? datedFamily(pattern) : withoutRepetitions(pattern))),
    numbers: many ? 'none' : dated ? 'undated' : 'all',
  };
}

/** Whether a link from one page to the other stays in what can make endless numbers of pages. */
export function isSameFamily(one: UrlTemplates, other: UrlTemplates): boolean {
  return one.family === other.family;
}

/** All dated URLs under one first segment: `/events/{dated}`. */
function datedFamily(pattern: string): string {
  const [, first = ''] = pattern.split('/', 2);
  return `/${first.includes('#') ? '' : `${first}/`}{dated}`;
}

/** `/a/#/#` is `/a/#`, and `/a/#-#` as well. */
function withoutRepetitions(pattern: string): string {
  const segments = pattern.replace(numbersInRow, '#').split('/');
  return segments.filter((segment, at) => segment !== segments[at - 1]).join('/');
}

/** The paths below the first random id of a pattern; undefined where there is none, or nothing below it. */
function belowToken(pattern: string): string | undefined {
  const at = pattern.indexOf('{token}/');
  return at === -1 ? undefined : `${pattern.slice(0, at)}{token}/**`;
}

/** At which number of times a segment, or a group of them, is taken for a loop. Twice is common: `/docs/en/docs/`. */
const loopTimes = 3;
/** Segments of the longest group that is looked for in a row. A longer one shows by its segments' coming back. */
const groupMax = 8;

interface PathPattern {
  readonly pattern: string;
  /** The wider pattern of a path in which a segment stands twice. */
  readonly loop?: string;
  readonly repeatsThrice: boolean;
}

function pathPattern(path: string): PathPattern {
  const segments = path.slice(1).split('/');
  const ids = numbered(segments);
  const patterns = variesAnywhere.test(path) ? segments.map(segmentPattern) : segments;
  // Most paths end here: no segment stands in them twice.
  if (ids === undefined) return { pattern: `/${patterns.join('/')}`, repeatsThrice: false };

  const units = unitsOf(ids);
  const loop = `/${patterns[0] ?? ''}/{repeating}`;
  const isLoop = timesMax(units, segments, ids) >= loopTimes;
  if (isLoop) {
    const distinct = distinctSorted(patterns.filter((pattern) => pattern !== ''));
    return { pattern: `/{repeating}/${distinct.join('/')}`, loop, repeatsThrice: true };
  }
  const pattern = units.map((unit) => unitPattern(unit, patterns)).join('/');
  const repeatsThrice = units.some(({ isRepeated }) => isRepeated);
  const isDoubled = repeatsThrice || timesMax(single(ids), segments, ids) > 1;
  return { pattern: `/${pattern}`, ...(isDoubled && { loop }), repeatsThrice };
}

/** For each segment a number that equal segments share; undefined when all are different. */
function numbered(segments: readonly string[]): readonly number[] | undefined {
  if (new Set(segments).size === segments.length) return undefined;
  const ids = new Map<string, number>();
  return segments.map((segment) => {
    const id = ids.get(segment) ?? ids.size;
    ids.set(segment, id);
    return id;
  });
}

/** A part of the path that is written once: a segment, or a group that stands there at least three times in a row. */
interface Unit {
  readonly at: number;
  readonly length: number;
  readonly isRepeated: boolean;
}

/**
 * From left to right, the shortest group first. A group that does not stand there three times is given up after twice its
 * length, and one that does is skipped, so each segment is looked at about `groupMax` squared times at most.
 */
function unitsOf(ids: readonly number[]): Unit[] {
  const units: Unit[] = [];
  for (let at = 0; at < ids.length;) {
    const group = groupAt(ids, at);
    units.push({ at, length: group?.length ?? 1, isRepeated: group !== undefined });
    at += group === undefined ? 1 : group.length * group.times;
  }
  return units;
}

function groupAt(ids: readonly number[], at: number): { readonly length: number; readonly times: number } | undefined {
  for (let length = 1; length <= groupMax; length += 1) {
    let equal = 0;
    while (at + equal + length < ids.length && ids[at + equal] === ids[at + equal + length]) equal += 1;
    const times = Math.floor(equal / length) + 1;
    if (times >= loopTimes) return { length, times };
  }
  return undefined;
}

function single(ids: readonly number[]): Unit[] {
  return ids.map((_, at) => ({ at, length: 1, isRepeated: false }));
}

/** How often the commonest segment stands in the units. Numbers do not count, since they are equal by chance. */
function timesMax(units: readonly Unit[], segments: readonly string[], ids: readonly number[]): number {
  const times = new Map<number, number>();
  let most = 0;
  for (const { at, length } of units) {
    for (let index = at; index < at + length; index += 1) {
      const id = ids[index] ?? 0;
      if (!isNoNumber.test(segments[index] ?? '')) continue;
      const now = (times.get(id) ?? 0) + 1;
      times.set(id, now);
      most = Math.max(most, now);
    }
  }
  return most;
}

function unitPattern({ at, length, isRepeated }: Unit, patterns: readonly string[]): string {
  if (length > 1) return `(${patterns.slice(at, at + length).join('/')})+`;
  return isRepeated ? `${patterns[at]}+` : (patterns[at] ?? '');
}

function segmentPattern(segment: string): string {
  if (!variesAnywhere.test(segment)) return segment;
  if (aspSession.test(segment)) return '{token}';
  const [, stem = '', extension = ''] = tokenShape.exec(segment) ?? [];
  if (isRandom(stem)) return `{token}${extension}`;
  return segment.replace(pathParameter, ';{token}').replace(digits, '#');
}

/** The names of the parameters, each once, as they stand in the URL. */
function parameterNames(query: string): ReadonlySet<string> {
  const names = query.split('&').map((parameter) => {
    const equalsAt = parameter.indexOf('=');
    return equalsAt === -1 ? parameter : parameter.slice(0, equalsAt);
  });
  const distinct = new Set(names);
  distinct.delete('');
  return distinct;
}

/** One date-like name among several parameters can be a filter, such as the `year` of cars. Two such names are a date. */
function isDated(local: string, names: ReadonlySet<string>, namePatterns: string): boolean {
  if (datePieces.test(local)) return true;
  if (names.size > 1) return [...names].filter((name) => datePart.test(name)).length > 1;
  return dateNames.test(namePatterns) || dateNamesInside.test(namePatterns);
}

function namePattern(name: string): string {
  return isRandom(name) ? '#' : name.replace(digits, '#');
}

/**
 * Whether a text is an id that a machine drew: a UUID, or at least 16 letters and digits. With hyphens or underscores it may
 * be a title (`top-10-things-in-2024`), in which letters and digits rarely touch: an id has four such places or more,
 * counting capitals within a word.
 */
function isRandom(text: string): boolean {
  if (!isTokenText.test(text) || !hasDigit.test(text) || !hasLetter.test(text)) return false;
  return !hasSeparator.test(text) || uuid.test(text) || (text.match(unevenPlace) ?? []).length >= 4;
}

function distinctSorted(texts: readonly string[]): string[] {
  return texts.length === 1 ? [...texts] : [...new Set(texts)].toSorted();
}

const noNames: ReadonlySet<string> = new Set();
const hasDigit = /\d/;
const hasLetter = /[a-z]/i;
/** Nor empty, as behind a closing slash. */
const isNoNumber = /\D/;
const hasSeparator = /[-_]/;
/** Without one of these a segment is its own pattern. */
const variesAnywhere = /[\d;(]/;
const numbersInRow = /#(?:[-_.,]#)+/g;
/** Not the digits of a percent-encoding. */
const digits = /(?<!%[\dA-F]?)\d+/gi;

const isTokenText = /^[\w-]{16,}$/;
/** A random id may have the ending of a file. */
const tokenShape = /^([\w-]{16,})(\.[a-z]{2,5})?$/i;
const unevenPlace = /\d(?=[a-z])|[a-z](?=\d)|[a-z](?=[A-Z])|[A-Z](?=\d)|\d(?=[A-Z])/g;
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** `(S(lit3py55t21z5v55vlm25s55))`, with other parts in front of it. At least as long as what it becomes. */
const aspSession = /^(?=.{8})\((?:[a-z]\([^()]*\))+\)$/i;
/** `;jsessionid=0A1B2C3D`. What has a shorter value is a choice rather than a visitor (`;lang=en`). */
const pathParameter = /;[^;=]{1,32}=[^;]{8,}/g;

/** 1900 to 2199. */
const year = String.raw`(?:19|2[01])\d\d`;
const monthName = '(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}';
const month = `(?:0?[1-9]|1[0-2]|w[0-5]?\\d|${monthName})`;
const day = String.raw`(?:0?[1-9]|[12]\d|3[01])`;
const compact = String.raw`(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])?`;
/** A year and at least its month or week: `/2031/05`, `=2031-05-17`, `/2031/may`, `/20310517`. */
const datePieces = new RegExp(`[/=_-]${year}(?:[-/._]${month}(?:[-/._]${day})?|${compact})(?=$|[^\\da-z]|t\\d)`, 'i');
const dateNames = /(?:^|[^a-z])(?:year|month|week|day|date|cal|calendar)(?![a-z])/i;
const datePart = /^(?:y{1,4}|m{1,2}|d{1,2}|year|month|week|day)$/i;
const dateNamesInside = /[a-z](?:Year|Month|Week|Day|Date)(?![a-z])/;
