// An archive of daily weather: pages that differ in nothing but numbers, and a calendar that continues into empty years.
import { anchor, list, page } from './html.ts';
import { type Site, type SiteModule, type Size } from './site.ts';
import { SitePlan } from './site-plan.ts';
import { marker, pick, prose, range } from './words.ts';

export const weatherArchive: SiteModule = {
  name: 'weather-archive',
  resembles: 'Daily figures by date, in a sitemap and a calendar; the calendar goes on for ever, without figures.',
  build,
};

const first = Date.UTC(2024, 0, 1);
const dayMs = 24 * 3600 * 1000;
const months = 'January February March April May June July August September October November December'.split(' ');

function build(size: Size): Site {
  const plan = new SitePlan();
  // More than the 100 pages without new text that end a template.
  const days = range(size === 'small' ? 180 : 1_500).map((index) => new Date(first + index * dayMs));
  const last = days.at(-1)!;
  const monthPaths = [...new Set(days.map(monthPath))];
  plan.robots(['User-agent: *', 'Allow: /', 'Sitemap: {{origin}}/sitemap-days.xml']);
  plan.sitemap('/sitemap-days.xml', days.map(dayPath));
  const has = marker('weather');
  plan.page(
    '/',
    page({
      title: 'Weather station',
      main: `<h1>Weather station</h1><p>${prose('weather', 3)} ${has}.</p>${list([
        [monthPaths[0]!, 'First month'],
        [monthPath(last), 'This month'],
        [dayPath(last), 'Today'],
      ])}`,
    }),
    has,
  );
  for (const [index, day] of days.entries()) {
    const pressure = (1_000 + index / 100).toFixed(2);
    plan.page(
      dayPath(day),
      dayPage(
        day,
        [
          String(pick(`low ${index}`, 12)),
          String(12 + pick(`high ${index}`, 20)),
          (pick(`rain ${index}`, 300) / 10).toFixed(1),
          pressure,
        ],
        last,
      ),
      `${pressure} hPa`,
    );
  }
  for (const path of monthPaths) {
    const mean = (10 + pick(path, 1_000) / 100).toFixed(2);
    const [, , year, month] = path.split('/').map(Number);
    plan.page(
      path,
      monthPage(new Date(Date.UTC(year!, month! - 1, 1)), `Mean temperature of the month: ${mean} °C.`, last),
      `${mean} °C`,
    );
  }
  const isFuture = (path: string): boolean => (dateOf(path)?.getTime() ?? 0) > last.getTime();
  return plan.site({
    latencyMs: [5, 15],
    answer: ({ path }) => plan.answer(path) ?? future(path, last),
    patterns: [
      {
        matches: isFuture,
        ends: ['scraped', 'duplicate_of', 'trap'],
        // 100 months, 100 days, and those that are read between pages with figures.
        requestsMax: size === 'small' ? 450 : 2_000,
      },
    ],
    notices: ['trap'],
  });
}

function monthPath(day: Date): string {
  return `/weather/${day.getUTCFullYear()}/${day.getUTCMonth() + 1}`;
}

function dayPath(day: Date): string {
  return `${monthPath(day)}/${day.getUTCDate()}`;
}

/** The day, or the first of the month, that a path is about. */
function dateOf(path: string): Date | undefined {
  const [, year, month, day = '1'] = /^\/weather\/(\d+)\/(\d+)(?:\/(\d+))?$/.exec(path) ?? [];
  return year === undefined ? undefined : new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
}

function future(path: string, last: Date): { readonly body: string } | undefined {
  const date = dateOf(path);
  if (date === undefined || date <= last) return undefined;
  return {
    body:
      path.split('/').length === 5
        ? dayPage(date, undefined, last)
        : monthPage(date, 'There are no observations for this month.', last),
  };
}

function dayPage(day: Date, figures: readonly string[] | undefined, last: Date): string {
  // Digits alone: no name of a month is new text.
  const name = day.toISOString().slice(0, 10);
  const units = ['Minimum (°C)', 'Maximum (°C)', 'Rain (mm)', 'Pressure'];
  const rows = figures?.map(
    (figure, index) => `<tr><th>${units[index]}</th><td>${figure}${index === 3 ? ' hPa' : ''}</td></tr>`,
  );
  const main = rows
    ? `<p>Observations of the day, taken at noon.</p><table>${rows.join('')}</table>`
    : '<p>There are no observations for this day.</p>';
  const next = new Date(day.getTime() + dayMs);
  const around = [
    anchor(monthPath(day), 'Month'),
    ...(day.getTime() > first ? [anchor(dayPath(new Date(day.getTime() - dayMs)), 'Day before')] : []),
  ];
  // The last day with figures has no day after it; the months go on.
  if (day.getTime() !== last.getTime()) around.push(anchor(dayPath(next), 'Day after'));
  return page({ title: `Weather on ${name}`, main: `<h1>Weather on ${name}</h1>${main}<p>${around.join(' ')}</p>` });
}

function monthPage(month: Date, says: string, last: Date): string {
  const name = `${months[month.getUTCMonth()]} ${month.getUTCFullYear()}`;
  const days = new Date(Date.UTC(month.getUTCFullYear(), month.getUTCMonth() + 1, 0)).getUTCDate();
  const cells = range(days).map((index) => `<td>${anchor(`${monthPath(month)}/${index + 1}`, String(index + 1))}</td>`);
  const weeks = range(5).map((week) => `<tr>${cells.slice(week * 7, week * 7 + 7).join('')}</tr>`);
  const before = month.getTime() > first ? anchor(monthPath(new Date(month.getTime() - dayMs)), 'Before') : '';
  const after = anchor(monthPath(new Date(month.getTime() + 32 * dayMs)), 'After');
  const isPresent = monthPath(month) === monthPath(last);
  return page({
    title: `Weather in ${name}`,
    main: `<h1>Weather in ${name}</h1><p>${says}</p>${isPresent ? '<p>This month is not over.</p>' : ''}<table class="calendar">${weeks.join('')}</table><p>${before} ${after}</p>`,
  });
}
