// Parts of the service that an operator can switch on or off.
import type { Settings } from '../config.ts';
import { oneOf, serviceUrl, wholeNumber } from './parse.ts';

export const featureSettings = {
  search: {
    env: 'HAYRAKE_SEARCH',
    flag: 'search',
    placeholder: 'MODE',
    default: 'on',
    description:
      'Search in the pages of jobs (docs/results.md#search): `on`, or `off`. It costs nothing until the first search of a job, which indexes its pages.',
    parse: (text) => oneOf(text, ['on', 'off']),
  },
  firecrawl: {
    env: 'HAYRAKE_FIRECRAWL',
    flag: 'firecrawl',
    placeholder: 'MODE',
    default: 'on',
    description:
      'Endpoints for clients of the Firecrawl API, under `/v1` and `/v2` (docs/firecrawl.md): `on`, or `off`.',
    parse: (text) => oneOf(text, ['on', 'off']),
  },
  webSearchUrl: {
    env: 'HAYRAKE_WEB_SEARCH_URL',
    flag: 'web-search-url',
    placeholder: 'URL',
    default: '',
    description:
      'Address of a SearXNG with the format `json`, for `POST /v2/search` (docs/firecrawl.md). Queries of clients are sent there. Empty: that endpoint is refused.',
    parse: serviceUrl,
  },
  modelUrl: {
    env: 'HAYRAKE_MODEL_URL',
    flag: 'model-url',
    placeholder: 'URL',
    default: '',
    description:
      'Address of a language model with the Chat Completions API, such as `http://127.0.0.1:11434/v1`, for `extract` with `model: true` (docs/extract.md). Texts of pages are sent there. Empty: there is no model.',
    parse: serviceUrl,
  },
  model: {
    env: 'HAYRAKE_MODEL',
    flag: 'model',
    placeholder: 'NAME',
    default: '',
    description: 'Name of the model at `HAYRAKE_MODEL_URL`.',
    parse: (text) => text,
  },
  modelKey: {
    env: 'HAYRAKE_MODEL_KEY',
    placeholder: 'KEY',
    default: '',
    secret: true,
    description: 'Key that is sent to `HAYRAKE_MODEL_URL` as bearer token.',
    parse: (text) => text,
  },
  modelCallsPerDay: {
    env: 'HAYRAKE_MODEL_CALLS_PER_DAY',
    flag: 'model-calls-per-day',
    placeholder: 'N',
    default: '1000',
    description: 'Calls of the model per org and day in UTC, 0 to 1000000. 0: no limit.',
    parse: (text) => wholeNumber(text, 0, 1_000_000),
  },
  loaderSeconds: {
    env: 'HAYRAKE_LOADER_SECONDS',
    flag: 'loader-seconds',
    placeholder: 'S',
    default: '30',
    description:
      'Seconds for all pages of one request to `POST /loader` (docs/clients.md), 1 to 300. Later pages have an error in their place.',
    parse: (text) => wholeNumber(text, 1, 300),
  },
} satisfies Partial<Settings>;
