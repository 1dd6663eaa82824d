// Examples of the OpenAPI document. The check lints them against the schemas.

import { scheduleColumns } from '../../core/schedule.ts';
import { tokenColumns } from '../../core/token.ts';
import { exampleOf } from '../response/resource-view.ts';
import type { ScheduleEvent, WebhookEvent } from '../../core/webhook-event.ts';

export const jobId = '7ZSA4YN8XEM0V3T2K9QJ5RCWBD';

export const scheduleId = scheduleColumns.id.shown.example;

const progress = { discovered: 3, queued: 0, inFlight: 0, scraped: 3, discarded: 0, failed: 0, outside: 0 };

const pageMeta = {
  page: 1,
  url: 'https://docs.example.org/',
  fetchedUrl: 'https://docs.example.org/',
  meta: { title: 'Welcome', description: 'How to start.', language: 'en', statusCode: 200, wordCount: 212 },
};

/** When an attempt ended. */
const attemptedAt = 1_769_860_801_250;

const cursor = 'pXcM2m6u3wq7Jm8zqk0bRDEx';

const token = exampleOf(tokenColumns);
const schedule = exampleOf(scheduleColumns);

/** Request bodies, by operation. */
export const bodyExamples: Readonly<Record<string, unknown>> = {
  createJob: { urls: ['https://docs.example.org/'], page_limit: 100, exclude_globs: ['/archive/**'] },
  previewJob: { urls: ['https://docs.example.org/'], exclude_globs: ['/archive/**'] },
  retryJob: { webhook_url: 'https://hooks.example.org/hayrake' },
  scrapePage: { url: 'https://docs.example.org/', format: 'markdown' },
  mapSite: { url: 'https://docs.example.org/', limit: 1_000 },
  createToken: { name: 'search pipeline', permissions: ['read'], expires_in: 2_592_000 },
  createSchedule: {
    name: 'docs, every night',
    cron: '0 3 * * *',
    time_zone: 'Europe/Berlin',
    job: { urls: ['https://docs.example.org/'], page_limit: 1_000, headers: { Authorization: 'Bearer ...' } },
  },
  changeSchedule: { cron: '@daily', keep: 30 },
  createBatch: { urls: ['https://docs.example.org/start', 'https://docs.example.org/faq'], output_format: 'text' },
};

/** Bodies of successful responses, by operation. */
export const responseExamples = {
  createSchedule: schedule,
  getSchedule: schedule,
  listSchedules: { data: [schedule] },
  changeSchedule: { ...schedule, cron: '@daily', keep: 30 },
  readPages: {
    data: [{ meta: pageMeta, text: '# Welcome\n\nHow to start.' }],
    cursor,
    nextCursor: cursor,
  },
  readMetadata: { data: [{ meta: pageMeta }], cursor, nextCursor: cursor },
  scrapePage: {
    status: 'scraped',
    url: 'https://docs.example.org/',
    jobId,
    text: '# Welcome\n\nHow to start.',
    meta: { ...pageMeta.meta, fetchedUrl: 'https://docs.example.org/' },
  },
  mapSite: {
    status: 'mapped',
    url: 'https://docs.example.org/',
    jobId,
    data: [{ url: 'https://docs.example.org/' }, { url: 'https://docs.example.org/start', lastmod: '2026-01-30' }],
    truncated: false,
    sitemapPageCount: 1,
    notices: [],
    findings: [],
  },
  previewJob: {
    url: 'https://docs.example.org/',
    fetches: 3,
    robots: {
      url: 'https://docs.example.org/robots.txt',
      status: 'read',
      isObeyed: true,
      isAllowed: true,
      sitemaps: 1,
    },
    page: {
      status: 'read',
      statusCode: 200,
      fetchedUrl: 'https://docs.example.org/',
      meta: { title: 'Welcome', description: 'How to start.', extractionQuality: 0.9 },
      text: '# Welcome\n\nHow to start.',
      isTextCut: false,
    },
    links: {
      found: 2,
      followed: 1,
      delivered: 1,
      reasons: { excluded_by_glob: 1 },
      data: [
        { url: 'https://docs.example.org/start', verdict: 'follow' },
        {
          url: 'https://docs.example.org/archive/1',
          verdict: 'discard',
          reason: 'excluded_by_glob',
          detail: '/archive/**',
        },
      ],
      isRobotsChecked: true,
    },
    sitemap: {
      status: 'read',
      url: 'https://docs.example.org/sitemap.xml',
      urls: 12,
      followed: 11,
      sitemaps: 0,
    },
  },
  listUrls: {
    data: [
      {
        url: 'https://docs.example.org/',
        kind: 'page',
        status: 'scraped',
        depth: 0,
        attempts: 1,
        attemptedAt,
        page: 1,
      },
      {
        url: 'https://docs.example.org/old',
        kind: 'page',
        status: 'failed',
        reason: 'http_404',
        depth: 1,
        attempts: 1,
        attemptedAt,
        statusCode: 404,
        foundOn: 'https://docs.example.org/',
      },
    ],
  },
  listJobs: { data: [], counts: { starting: 0, running: 0, succeeded: 12, failed: 1, cancelled: 0, stopped: 0 } },
  listHosts: {
    data: [
      {
        host: 'docs.example.org:443',
        jobs: [jobId],
        isLeased: true,
        delayMs: 0,
        robots: 'read',
        concurrency: 6,
        inFlight: 5,
        circuit: 'closed',
      },
    ],
  },
  readStats: {
    step: 1_000,
    data: [
      { at: 1_769_860_799_000, scraped: 2, discarded: 0, failed: 0, bytes: 41_200, queued: 1, inFlight: 1 },
      { at: 1_769_860_800_000, scraped: 1, discarded: 0, failed: 0, bytes: 18_100, queued: 0, inFlight: 0 },
    ],
  },
  readTree: {
    prefix: 'https://docs.example.org/',
    data: [
      {
        segment: 'guide',
        prefix: 'https://docs.example.org/guide/',
        urls: 12,
        scraped: 9,
        discarded: 2,
        failed: 1,
        outside: 0,
        queued: 0,
      },
      {
        segment: '',
        prefix: 'https://docs.example.org/',
        urls: 1,
        scraped: 1,
        discarded: 0,
        failed: 0,
        outside: 0,
        queued: 0,
      },
    ],
  },
  searchPages: {
    data: [
      {
        page: 1,
        url: 'https://docs.example.org/',
        title: 'Welcome',
        score: 3.2,
        snippet: 'How to start.',
        snippetParts: [{ text: 'How to ' }, { text: 'start', hit: true }, { text: '.' }],
      },
    ],
    pages: 3,
    indexedPages: 3,
  },
  listTokens: { data: [token] },
  createToken: { ...token, token: 'hr_...' },
  exportJob: `${JSON.stringify({ meta: pageMeta, text: '# Welcome\n\nHow to start.' })}\n`,
  getHealth: { status: 'ok' },
  getReadiness: { status: 'ready', database: true, worker: true },
};

export const problemExample = {
  type: 'urn:hayrake:error:invalid_parameter',
  title: 'A query or path parameter is not valid. The detail lists the allowed values.',
  status: 400,
  detail: '`limit`: Give a whole number from 1 to 400, in digits, once.',
  instance: `/crawler/jobs/${jobId}/data?limit=500`,
  code: 'invalid_parameter',
  requestId: '1f1b9f0e-6c64-4a0e-9a55-0b6f3a0c7a51',
  errors: [{ field: 'limit', message: 'Give a whole number from 1 to 400, in digits, once.' }],
  message: '`limit`: Give a whole number from 1 to 400, in digits, once.',
};

const begun = { ...progress, discovered: 1, queued: 1, scraped: 0 };

export const webhookExamples: Readonly<Record<WebhookEvent | ScheduleEvent, unknown>> = {
  'job.started': {
    type: 'job.started',
    timestamp: '2026-01-31T11:59:00.000Z',
    data: { id: jobId, status: 'running', complete: null, findings: [], progress: begun, finishedAt: null },
  },
  'job.progress': {
    type: 'job.progress',
    timestamp: '2026-01-31T11:59:30.000Z',
    data: {
      id: jobId,
      status: 'running',
      complete: null,
      findings: [],
      progress,
      finishedAt: null,
      pages: { from: 1, to: 3 },
    },
  },
  'job.finished': {
    type: 'job.finished',
    timestamp: '2026-01-31T12:00:00.000Z',
    data: { id: jobId, status: 'succeeded', complete: true, findings: [], progress, finishedAt: 1_769_860_800_000 },
  },
  'schedule.changed': {
    type: 'schedule.changed',
    timestamp: '2026-01-31T12:00:00.000Z',
    data: {
      schedule: scheduleId,
      job: jobId,
      changes: { added: 2, changed: 1, moved: 0, unchanged: 40, removed: 1, unknown: 0 },
      cursor,
    },
  },
  'schedule.failed': {
    type: 'schedule.failed',
    timestamp: '2026-01-31T03:00:00.000Z',
    data: {
      schedule: scheduleId,
      name: 'docs, every night',
      error: {
        code: 'browser_missing',
        message: '`use_browser: true` needs a browser, and no crawling process has one.',
        at: 1_769_828_400_000,
      },
      nextRunAt: 1_769_911_200_000,
    },
  },
};
