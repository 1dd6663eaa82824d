// Excel stores dates and times as numbers of days.

/** Returns a date, a time, or both in ISO 8601. */
export function toDateText(serial: number, isFrom1904: boolean): string {
  const iso = isoOf(serial, isFrom1904);
  if (iso === undefined) return String(serial);
  const [date = '', clock = ''] = iso.split('T');
  if (Number.isInteger(serial)) return date;
  return serial < 1 ? clock : `${date} ${clock}`;
}

/** Returns the time of a day. */
export function toClockText(serial: number, isFrom1904: boolean): string {
  return isoOf(serial, isFrom1904)?.split('T')[1] ?? String(serial);
}

function isoOf(serial: number, isFrom1904: boolean): string | undefined {
  // Excel has a 29 February 1900, so days from March 1900 on are one too high.
  const epoch = isFrom1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, serial < 60 ? 31 : 30);
  const time = new Date(epoch + Math.round(serial * 86_400) * 1000);
  return Number.isNaN(time.getTime()) || serial < 0 ? undefined : time.toISOString().slice(0, 19);
}
