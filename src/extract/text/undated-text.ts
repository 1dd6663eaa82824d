/** Removes what calendars count: on a dated page, numbers of dates and times say nothing. */

/**
 * Removes years, dates and times from the lower-case text, and the numbers of its URL with their
 * predecessors and successors. The remaining numbers were measured or counted on that day.
 */
export function undatedText(text: string, url: string): string {
  const own = numbersAround(url);
  return text.replace(dates, ' ').replace(wholeNumber, (number) => (own.has(Number(number)) ? ' ' : number));
}

/**
 * Returns the numbers of an undated text in order, without runs of consecutive days such as in a month view. Empty if
 * there are none.
 */
export function undatedNumbers(text: string): string {
  const numbers = text.match(anyNumber) ?? [];
  const isDay = (number: string | undefined): boolean =>
    number !== undefined && /^(?:[1-9]|[12]\d|3[01])$/.test(number);
  const isNext = (one: string | undefined, other: string | undefined): boolean =>
    isDay(one) && isDay(other) && Number(other) - Number(one) === 1;
  return numbers.filter((number, at) => !isNext(numbers[at - 1], number) && !isNext(number, numbers[at + 1])).join(' ');
}

function numbersAround(url: string): ReadonlySet<number> {
  const numbers = new Set<number>();
  for (const found of url.match(wholeNumber) ?? []) {
    const number = Number(found);
    for (const near of [number - 1, number, number + 1]) numbers.add(near);
  }
  // The day before the first of a month, and the month after December.
  if (numbers.has(0)) for (const last of [28, 29, 30, 31, 12]) numbers.add(last);
  if (numbers.has(13) || numbers.has(32)) numbers.add(1);
  return numbers;
}

const yearText = String.raw`(?:19|2[01])\d\d`;
const dates = new RegExp(
  [
    String.raw`(?<!\d)${yearText}([-/.])\d{1,2}(?:\1\d{1,2})?(?!\d)`,
    String.raw`(?<!\d)\d{1,2}([-/.])\d{1,2}\2(?:\d{4}|\d\d)(?!\d)`,
    String.raw`(?<!\d)\d{1,4}[年月日년월일]`,
    String.raw`(?<!\d)\d{1,2}:\d\d(?::\d\d)?(?!\d)`,
    String.raw`(?<!\d)\d{1,2}(?:st|nd|rd|th)(?![\p{L}\d])`,
    String.raw`(?<!\d|\d[.,])${yearText}(?!\d|[.,]\d)`,
  ].join('|'),
  'gu',
);
/** A number without a fraction. */
const wholeNumber = /(?<!\d|\d[.,])\d+(?!\d|[.,]\d)/g;
const anyNumber = /\d+(?:[.,]\d+)*/g;
