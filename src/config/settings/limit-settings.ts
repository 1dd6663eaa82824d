// How clients reach the API, and how much of it they can use.
import type { Settings } from '../config.ts';
import { oneOf, wholeNumber } from './parse.ts';

export const limitSettings = {
  corsOrigins: {
    env: 'HAYRAKE_CORS_ORIGINS',
    flag: 'cors-origins',
    placeholder: 'LIST',
    default: '',
    description:
      'Origins whose pages can use the API in a browser, with a token, such as `https://app.example.com`, separated by commas, or `*` for all. Empty: none.',
    parse: origins,
  },
  publicUrl: {
    env: 'HAYRAKE_PUBLIC_URL',
    flag: 'public-url',
    placeholder: 'URL',
    default: '',
    description:
      'Where clients reach this service, such as `https://example.com/crawl`, for absolute URLs in responses (docs/firecrawl.md). Set it behind a reverse proxy. Default: `http` and the `Host` of the request.',
    parse: publicUrl,
  },
  requestsPerMinute: {
    env: 'HAYRAKE_REQUESTS_PER_MINUTE',
    flag: 'requests-per-minute',
    placeholder: 'N',
    default: '6000',
    description: 'API requests per minute and org, 0 to 1000000. 0 disables the limit.',
    parse: (text) => wholeNumber(text, 0, 1_000_000),
  },
  jobsPerOrg: {
    env: 'HAYRAKE_JOBS_PER_ORG',
    flag: 'jobs-per-org',
    placeholder: 'N',
    default: '1000',
    description: 'Unfinished jobs per org, 1 to 1000000.',
    parse: (text) => wholeNumber(text, 1, 1_000_000),
  },
  schedulesPerOrg: {
    env: 'HAYRAKE_SCHEDULES_PER_ORG',
    flag: 'schedules-per-org',
    placeholder: 'N',
    default: '1000',
    description:
      'Schedules per org, 1 to 100000. Their runs, at most one unfinished for each, are not refused by HAYRAKE_JOBS_PER_ORG.',
    parse: (text) => wholeNumber(text, 1, 100_000),
  },
  jobUrls: {
    env: 'HAYRAKE_JOB_URLS',
    flag: 'job-urls',
    placeholder: 'N',
    default: '1000000',
    description:
      'URLs that one job lists and crawls, 1000 to 50000000. The job only counts further ones (docs/performance.md has the disk per URL).',
    parse: (text) => wholeNumber(text, 1_000, 50_000_000),
  },
  lanesPerOrg: {
    env: 'HAYRAKE_LANES_PER_ORG',
    flag: 'lanes-per-org',
    placeholder: 'N',
    default: '0',
    description:
      'Hosts that one process works on at a time for one org, 0 to 4000. 0 disables the limit: orgs share the lanes evenly. It never delays the first request of a job and `POST /scraper/scrape`.',
    parse: (text) => wholeNumber(text, 0, 4_000),
  },
  waitingPerOrg: {
    env: 'HAYRAKE_WAITING_PER_ORG',
    flag: 'waiting-per-org',
    placeholder: 'N',
    default: '100',
    description:
      'Requests per org that wait for pages at a time, 1 to 100000: reading results and URLs, streams, and `POST /scraper/scrape`.',
    parse: (text) => wholeNumber(text, 1, 100_000),
  },
  connections: {
    env: 'HAYRAKE_CONNECTIONS',
    flag: 'connections',
    placeholder: 'N',
    default: '1000',
    description:
      'Connections to the API at a time, 10 to 100000; fewer if the process may not open that many files. A further connection replaces the one that has been idle longest.',
    parse: (text) => wholeNumber(text, 10, 100_000),
  },
  logLevel: {
    env: 'HAYRAKE_LOG_LEVEL',
    flag: 'log-level',
    placeholder: 'LEVEL',
    default: 'info',
    description: 'Level of the log on standard error: `debug`, `info`, `warn`, `error` or `silent`.',
    parse: (text) => oneOf(text, ['debug', 'info', 'warn', 'error', 'silent']),
  },
} satisfies Partial<Settings>;

function origins(text: string): readonly string[] {
  const given = text.split(',').map((part) => part.trim());
  const wrong = given.find((origin) => origin !== '' && origin !== '*' && URL.parse(origin)?.origin !== origin);
  if (wrong !== undefined) throw new Error('write origins such as https://app.example.com, separated by commas, or *.');
  return given.filter((origin) => origin !== '');
}

function publicUrl(text: string): string {
  const url = URL.parse(text.trim());
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!url || !isHttp || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    throw new Error('write an http or https URL without query and fragment, like https://crawl.example.');
  return url.href.replace(/\/+$/, '');
}
