/** Groups the URLs that one program of a site serves by template, so that an endless group shows. */

import { normalisedUrl } from './dedupe-key.ts';
import { hostKey } from '../core/host-key.ts';

export interface UrlTemplates {
  /** Host, pattern of the path, and names of the query parameters: `a.example:443/p/#?lang&page`. */
  readonly fine: string;
  /**
   * A wider group that contains the fine one, for traps that fill many fine groups:
   * - With at least two different query parameters: all such queries of the path (`a.example:443/shop?`). A single
   *   parameter makes no combinations, so `?id=17` stays out: its new numbers must not keep the group alive.
   * - With fewer, if a segment occurs twice in the path: all such paths under the same first segment
   *   (`a.example:443/blog/{repeating}`), because a link that lacks its leading `/` leads through every page there.
   * - Else, if the path has a random id: all paths below it (`a.example:443/s/{token}/**`), because a session id that
   *   is new at every visit repeats all pages of the site.
   */
  readonly coarse?: string;
  /**
   * Pages that can generate endless numbers of each other belong to one family: the templates of a path whatever its
   * parameters and repetitions, all paths below a random id, and all dated URLs of a first segment, because the months,
   * days and events of a calendar link to each other.
   */
  readonly family: string;
  /**
   * Which numbers make a text new. `none`: the path repeats itself three times, or the URL has at least two different
   * query parameters and no date. `undated`: the URL has a date, so numbers that form dates and times do not count.
   * `all`: otherwise, because a number can be the only content of a page.
   */
  readonly numbers: CountedNumbers;
}

export type CountedNumbers = 'none' | 'undated' | 'all';

/**
 * Returns the templates of a URL. In the path, runs of digits become `#` and random ids `{token}`. A segment or group
 * that occurs three times in a row is written once with `+`. A path that still returns to a segment three times becomes
 * just the set of its segments, `{repeating}`. Words stay: pages with names of their own have templates of their own.
 * The texts of a group decide about it, so a template that is too wide does no harm, but one that is too narrow misses
 * a trap.
 *
 * At most 30 characters longer than the URL. Time is proportional to the URL's length, apart from sorting its parts.
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

/** Returns true if a link from one page to the other stays within a family. */
export function isSameFamily(one: UrlTemplates, other: UrlTemplates): boolean {
  return one.family === other.family;
}

/** All dated URLs under one first segment: `/events/{dated}`. */
function datedFamily(pattern: string): string {
  const [, first = ''] = pattern.split('/', 2);
  return `/${first.includes('#') ? '' : `${first}/`}{dated}`;
}

/** `/a/#/#` becomes `/a/#`, and so does `/a/#-#`. */
function withoutRepetitions(pattern: string): string {
  const segments = (pattern.includes('#') ? pattern.replace(numbersInRow, '#') : pattern).split('/');
  return segments.filter((segment, at) => segment !== segments[at - 1]).join('/');
}

/** Returns the paths below the first random id of a pattern; undefined if there is no id, or nothing below it. */
function belowToken(pattern: string): string | undefined {
  const at = pattern.indexOf('{token}/');
  return at === -1 ? undefined : `${pattern.slice(0, at)}{token}/**`;
}

/** Repetitions from which a segment, or a group of them, counts as a loop. Two are common: `/docs/en/docs/`. */
const loopTimes = 3;
/** Segments of the longest group searched for. Longer cycles are caught because their segments repeat. */
const groupMax = 8;

interface PathPattern {
  readonly pattern: string;
  /** The wider pattern of a path in which a segment occurs twice. */
  readonly loop?: string;
  readonly repeatsThrice: boolean;
}

function pathPattern(path: string): PathPattern {
  const segments = path.slice(1).split('/');
  const ids = numbered(segments);
  const patterns = variesAnywhere.test(path) ? segments.map(segmentPattern) : segments;
  // Most paths end here: no segment occurs twice.
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

/** Returns a number for each segment, shared by equal segments; undefined if all differ. */
function numbered(segments: readonly string[]): readonly number[] | undefined {
  if (new Set(segments).size === segments.length) return undefined;
  const ids = new Map<string, number>();
  return segments.map((segment) => {
    const id = ids.get(segment) ?? ids.size;
    ids.set(segment, id);
    return id;
  });
}

/** A part of the path that is written once: a segment, or a group that occurs at least three times in a row. */
interface Unit {
  readonly at: number;
  readonly length: number;
  readonly isRepeated: boolean;
}

/**
 * Scans from left to right, the shortest group first. A group that does not occur three times is abandoned after twice
 * its length, and one that does is skipped, so each segment is read about `groupMax` squared times at most.
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

/** Returns how often the most frequent segment occurs in the units. Numbers do not count: they are equal by chance. */
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
  if (segment.startsWith('(') && aspSession.test(segment)) return '{token}';
  const [, stem = '', extension = ''] = tokenShape.exec(segment) ?? [];
  if (isRandom(stem)) return `{token}${extension}`;
  const bare = segment.includes(';') ? segment.replace(pathParameter, ';{token}') : segment;
  return bare.replace(digits, '#');
}

/** Returns the distinct parameter names, as written in the URL. */
function parameterNames(query: string): ReadonlySet<string> {
  const names = query.split('&').map((parameter) => {
    const equalsAt = parameter.indexOf('=');
    return equalsAt === -1 ? parameter : parameter.slice(0, equalsAt);
  });
  const distinct = new Set(names);
  distinct.delete('');
  return distinct;
}

/**
 * One date-like name among several parameters can be a filter, such as the `year` of cars. Two such names are a date.
 */
function isDated(local: string, names: ReadonlySet<string>, namePatterns: string): boolean {
  if (datePieces.test(local)) return true;
  if (names.size === 0) return false;
  if (names.size > 1) return [...names].filter((name) => datePart.test(name)).length > 1;
  return dateNames.test(namePatterns) || dateNamesInside.test(namePatterns);
}

function namePattern(name: string): string {
  return isRandom(name) ? '#' : name.replace(digits, '#');
}

/**
 * Returns true if a text is a random id: a UUID, or at least 16 letters and digits. With hyphens or underscores it can
 * be a title (`top-10-things-in-2024`), in which letters and digits are rarely adjacent: an id has at least four such
 * places, counting capitals within a word.
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
/** Excludes the empty segment too, as after a trailing slash. */
const isNoNumber = /\D/;
const hasSeparator = /[-_]/;
/** A segment without any of these is its own pattern. */
const variesAnywhere = /[\d;(]/;
const numbersInRow = /#(?:[-_.,]#)+/g;
/** Excludes the digits of a percent-encoding. */
const digits = /(?<!%[\dA-F]?)\d+/gi;

const isTokenText = /^[\w-]{16,}$/;
/** A random id can have a file extension. */
const tokenShape = /^([\w-]{16,})(\.[a-z]{2,5})?$/i;
const unevenPlace = /\d(?=[a-z])|[a-z](?=\d)|[a-z](?=[A-Z])|[A-Z](?=\d)|\d(?=[A-Z])/g;
const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** `(S(lit3py55t21z5v55vlm25s55))`, possibly with other parts before it. At least as long as its replacement. */
const aspSession = /^(?=.{8})\((?:[a-z]\([^()]*\))+\)$/i;
/** `;jsessionid=0A1B2C3D`. A shorter value is a choice, not a visitor (`;lang=en`). */
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
