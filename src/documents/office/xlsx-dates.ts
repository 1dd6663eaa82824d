// Excel stores dates as numbers. Only their format marks them as dates (ECMA-376, part 1, 18.8.30).
import { readXml } from '../parts/read-xml.ts';

/** Returns the cell styles that show a date or a time. */
export function readDateStyles(xml: Uint8Array | undefined): ReadonlySet<number> {
  const dateFormats = new Set<string>();
  const styles = new Set<number>();
  let index = -1;
  if (!xml) return styles;
  readXml(xml, {
    open(name, attributes) {
      const { numFmtId = '', formatCode = '' } = attributes;
      if (name === 'numFmt' && isDateFormat(formatCode)) dateFormats.add(numFmtId);
      else if (name === 'cellXfs') index = 0;
      else if (name === 'xf' && index >= 0) {
        if (dateFormats.has(numFmtId) || isBuiltInDate(Number(numFmtId))) styles.add(index);
        index++;
      }
    },
    close(name) {
      if (name === 'cellXfs') index = -1;
    },
  });
  return styles;
}

/** Returns a date, a time, or both in ISO 8601. */
export function toDateText(serial: number, isFrom1904: boolean): string {
  // Excel has a 29 February 1900, so days from March 1900 on are one too high.
  const epoch = isFrom1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, serial < 60 ? 31 : 30);
  const time = new Date(epoch + Math.round(serial * 86_400) * 1000);
  if (Number.isNaN(time.getTime()) || serial < 0) return String(serial);
  const [date = '', clock = ''] = time.toISOString().slice(0, 19).split('T');
  if (Number.isInteger(serial)) return date;
  return serial < 1 ? clock : `${date} ${clock}`;
}

function isBuiltInDate(format: number): boolean {
  return (
    (format >= 14 && format <= 22) ||
    (format >= 27 && format <= 36) ||
    (format >= 45 && format <= 47) ||
    (format >= 50 && format <= 58)
  );
}

function isDateFormat(code: string): boolean {
  return /[ymdhs]/i.test(code.slice(0, 255).replaceAll(/"[^"]*"|\\.|\[[^\]]*\]|General/gi, ''));
}
