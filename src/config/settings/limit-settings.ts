// How clients reach the API, and how much of it they can use.
import { choice, number, type SettingRows } from './parse.ts';

export const limitSettings = {
  corsOrigins: {
    placeholder: 'LIST',
    default: '',
    description:
      'Origins whose pages can use the API in a browser, with a token, such as `https://app.example.com`, separated by commas, or `*` for all. Empty: none.',
    parse: origins,
  },
  publicUrl: {
    placeholder: 'URL',
    default: '',
    description:
      'Where clients reach this service, such as `https://example.com/crawl`, for absolute URLs in responses (docs/firecrawl.md). Set it behind a reverse proxy. Default: `http` and the `Host` of the request.',
    parse: publicUrl,
  },
  requestsPerMinute: {
    ...number(0, 1_000_000),
    default: '6000',
    description: 'API requests per minute and org, 0 to 1000000. 0 disables the limit.',
  },
  jobsPerOrg: {
    ...number(1, 1_000_000),
    default: '1000',
    description: 'Unfinished jobs per org, 1 to 1000000.',
  },
  schedulesPerOrg: {
    ...number(1, 100_000),
    default: '1000',
    description:
      'Schedules per org, 1 to 100000. Their runs, at most one unfinished for each, are not refused by HAYRAKE_JOBS_PER_ORG.',
  },
  jobUrls: {
    ...number(1_000, 50_000_000),
    default: '1000000',
    description:
      'URLs that one job lists and crawls, 1000 to 50000000. The job only counts further ones (docs/performance.md has the disk per URL).',
  },
  lanesPerOrg: {
    ...number(0, 4_000),
    default: '0',
    description:
      'Hosts that one process works on at a time for one org, 0 to 4000. 0 disables the limit: orgs share the lanes evenly. It never delays the first request of a job and `POST /scraper/scrape`.',
  },
  waitingPerOrg: {
    ...number(1, 100_000),
    default: '100',
    description:
      'Requests per org that wait for pages at a time, 1 to 100000: reading results and URLs, streams, and `POST /scraper/scrape`.',
  },
  connections: {
    ...number(10, 100_000),
    default: '1000',
    description:
      'Connections to the API at a time, 10 to 100000; fewer if the process may not open that many files. A further connection replaces the one that has been idle longest.',
  },
  logLevel: {
    ...choice(['debug', 'info', 'warn', 'error', 'silent'], 'LEVEL'),
    default: 'info',
    description: 'Level of the log on standard error: `debug`, `info`, `warn`, `error` or `silent`.',
  },
} satisfies SettingRows;

function origins(text: string): readonly string[] {
  const given = text.split(',').map((part) => part.trim());
  const wrong = given.find((origin) => origin !== '' && origin !== '*' && URL.parse(origin)?.origin !== origin);
  if (wrong !== undefined) throw new Error('write origins such as https://app.example.com, separated by commas, or *.');
  return given.filter((origin) => origin !== '');
}

function publicUrl(text: string): string | undefined {
  const url = URL.parse(text.trim());
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!url || !isHttp || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    throw new Error('write an http or https URL without query and fragment, like https://crawl.example.');
  return url.href.replace(/\/+$/, '');
}
