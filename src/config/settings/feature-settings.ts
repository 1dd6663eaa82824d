// Parts of the service that an operator can switch on or off.
import { choice, number, serviceUrl, type SettingRows } from './parse.ts';

export const featureSettings = {
  search: {
    ...choice(['on', 'off']),
    default: 'on',
    description:
      'Search in the pages of jobs (docs/results.md#search): `on`, or `off`. It costs nothing until the first search of a job, which indexes its pages.',
  },
  firecrawl: {
    ...choice(['on', 'off']),
    default: 'on',
    description:
      'Endpoints for clients of the Firecrawl API, under `/v1` and `/v2` (docs/firecrawl.md): `on`, or `off`.',
  },
  webSearchUrl: {
    placeholder: 'URL',
    default: '',
    description:
      'Address of a SearXNG with the format `json`, for `POST /v2/search` (docs/firecrawl.md). Queries of clients are sent there. Empty: that endpoint is refused.',
    parse: serviceUrl,
  },
  modelUrl: {
    placeholder: 'URL',
    default: '',
    description:
      'Address of a language model with the Chat Completions API, such as `http://127.0.0.1:11434/v1`, for `extract` with `model: true` (docs/extract.md). Texts of pages are sent there. Empty: there is no model.',
    parse: serviceUrl,
  },
  model: {
    placeholder: 'NAME',
    default: '',
    description: 'Name of the model at `HAYRAKE_MODEL_URL`.',
    parse: (text) => text,
  },
  modelKey: {
    placeholder: 'KEY',
    default: '',
    secret: true,
    description: 'Key that is sent to `HAYRAKE_MODEL_URL` as bearer token.',
    parse: (text) => text,
  },
  modelCallsPerDay: {
    ...number(0, 1_000_000),
    default: '1000',
    description: 'Calls of the model per org and day in UTC, 0 to 1000000. 0: no limit.',
  },
  loaderSeconds: {
    ...number(1, 300, 'S'),
    default: '30',
    description:
      'Seconds for all pages of one request to `POST /loader` (docs/clients.md), 1 to 300. Later pages have an error in their place.',
  },
} satisfies SettingRows;
