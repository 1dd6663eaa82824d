// Reads the cell styles of a workbook: how each shows a number (ECMA-376, part 1, 18.8.30).
import type * as numfmt from 'numfmt';
import { readXml } from '../parts/read-xml.ts';

/** Returns the text that a cell shows for a number. */
export type NumberFormat = (value: number, isFrom1904: boolean) => string;

/** Loads with the first workbook: most jobs never need this library. */
export const loadNumfmt = (): Promise<typeof numfmt> => import('numfmt');

/** Excel allows 255 characters, and about 250 formats of its own per workbook. */
const codeCharactersMax = 255;
const codesMax = 500;

/** Returns the number formats of the cell styles, by index. Unknown and invalid codes show the plain number. */
export function readNumberFormats(xml: Uint8Array | undefined, library: typeof numfmt): readonly NumberFormat[] {
  const codes = new Map<string, string>();
  const formats = new Map<string, NumberFormat>();
  const styles: NumberFormat[] = [];
  let isInCells = false;
  readXml(xml, {
    open(name, attributes) {
      const { numFmtId = '0', formatCode = '' } = attributes;
      if (name === 'numFmt') codes.set(numFmtId, formatCode);
      else if (name === 'cellXfs') isInCells = true;
      else if (name === 'xf' && isInCells) {
        const known = formats.get(numFmtId);
        const code = codes.get(numFmtId) ?? library.getFormatFromId(Number(numFmtId));
        const format = known ?? (formats.size < codesMax ? numberFormat(code, numFmtId, library) : plainNumber);
        formats.set(numFmtId, format);
        styles.push(format);
      }
    },
    close(name) {
      if (name === 'cellXfs') isInCells = false;
    },
  });
  return styles;
}

/** Rounds to 15 digits as Excel does: 0.1 + 0.2 is 0.3. */
export const plainNumber: NumberFormat = (value) => String(Number(value.toPrecision(15)));

function numberFormat(code: string | undefined, id: string, library: typeof numfmt): NumberFormat {
  // The built-in dates of Asian languages are not in the table of the library.
  if (isBuiltInDate(Number(id))) return toDateText;
  if (code === undefined || code === '' || code.length > codeCharactersMax || !library.isValidFormat(code)) {
    return plainNumber;
  }
  const asShown: NumberFormat = (value) => shown(value, code, library);
  if (!library.isDateFormat(code)) return /^general$/i.test(code) ? plainNumber : asShown;
  // A day that is written as its country writes it can be two days. ISO 8601 is one.
  const { year, month, day } = library.getFormatDateInfo(code);
  if (year || month || day) return toDateText;
  return /\[[hms]+\]/i.test(code) ? asShown : toClockText;
}

function shown(value: number, code: string, { format }: typeof numfmt): string {
  try {
    return format(code, value, { throws: true, nbsp: false }).trim();
  } catch {
    // A negative duration, for example: Excel shows `####`.
    return plainNumber(value, false);
  }
}

function isBuiltInDate(format: number): boolean {
  const isAsian = (format >= 27 && format <= 36) || (format >= 50 && format <= 58);
  return (format >= 14 && format <= 17) || format === 22 || isAsian;
}

// Excel stores dates and times as numbers of days.

/** Returns a date, a time, or both in ISO 8601. */
function toDateText(serial: number, isFrom1904: boolean): string {
  const iso = isoOf(serial, isFrom1904);
  if (iso === undefined) return String(serial);
  const [date = '', clock = ''] = iso.split('T');
  if (Number.isInteger(serial)) return date;
  return serial < 1 ? clock : `${date} ${clock}`;
}

/** Returns the time of a day. */
function toClockText(serial: number, isFrom1904: boolean): string {
  return isoOf(serial, isFrom1904)?.split('T')[1] ?? String(serial);
}

function isoOf(serial: number, isFrom1904: boolean): string | undefined {
  // Excel has a 29 February 1900, so days from March 1900 on are one too high.
  const epoch = isFrom1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, serial < 60 ? 31 : 30);
  const time = new Date(epoch + Math.round(serial * 86_400) * 1000);
  return Number.isNaN(time.getTime()) || serial < 0 ? undefined : time.toISOString().slice(0, 19);
}
