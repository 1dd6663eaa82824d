// What a user can ask for when one page is wanted now: the fields of a job that say something about one page.
import { z } from 'zod';
import { jobInputSchema, wholeNumber } from './job-input.ts';

export const timeoutSecondsDefault = 60;
const timeoutSecondsMax = 300;

const ofOnePage = jobInputSchema.pick({
  exclude_elements: true,
  include_elements: true,
  content: true,
  use_browser: true,
  block_resources: true,
  respect_robots: true,
  headers: true,
  cookies: true,
}).shape;

export const scrapeInputSchema = z.strictObject(
  {
    url: z.string({ error: 'Give a URL.' }).describe('The page: absolute, http or https.'),
    format: jobInputSchema.shape.output_format.describe('What `text` is.'),
    ...ofOnePage,
    timeout: wholeNumber(1, timeoutSecondsMax)
      .default(timeoutSecondsDefault)
      .describe('Seconds after which the answer is that the page could not be had.'),
  },
  { error: (issue) => (issue.code === 'invalid_type' ? 'Send a JSON object with at least `url`.' : undefined) },
);
