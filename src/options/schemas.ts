// Schemas shared by several options.
import { grouped } from '../core/grouped.ts';
import { compile } from 'css-select';
import { z } from 'zod';
import { outputExpiryRange } from '../core/output-expiry.ts';
import { globProblem } from '../url/glob.ts';
import { patternProblem, patternSize, patternsSizeMax } from '../url/pattern.ts';

/** A number in a body. Every violation gets the same one-sentence message. */
export function wholeNumber(min: number, max: number) {
  const error = `Give a whole number from ${grouped(min)} to ${grouped(max)}.`;
  return z.int({ error }).min(min, error).max(max, error);
}

/** Seconds for which results are kept. `null`: until they are deleted. */
export function outputExpiry() {
  const { min, max } = outputExpiryRange;
  const error = `Give whole seconds from ${min} to ${grouped(max)}, or null to keep the results until they are deleted.`;
  return z.int({ error }).min(min, error).max(max, error).nullable();
}

/** 1 to `max` URLs, not yet parsed. */
export function urlList(max: number) {
  const error = `Give a list of 1 to ${grouped(max)} URLs.`;
  return z
    .array(z.string({ error: 'Give a URL.' }), { error })
    .min(1, error)
    .max(max, error);
}

/** At most 100 globs. */
export function globs() {
  return z
    .array(
      z.string().superRefine((glob, context) => {
        const problem = globProblem(glob);
        if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
      }),
    )
    .max(100, 'Give at most 100 globs.');
}

/** At most 100 patterns. An empty value means none. */
export function patterns() {
  const list = z
    .array(z.string({ error: 'Give a text.' }), { error: 'Give a list of regular expressions.' })
    .max(100, 'Give at most 100 patterns.')
    .superRefine((given, context) => {
      for (const [index, pattern] of given.entries()) {
        const message = patternProblem(pattern);
        if (message !== undefined) context.addIssue({ code: 'custom', path: [index], message });
      }
      const size = given.reduce((sum, pattern) => sum + patternSize(pattern), 0);
      if (size > patternsSizeMax)
        context.addIssue({
          code: 'custom',
          message: 'The patterns are too long together. Give fewer or shorter ones.',
        });
    });
  return z.preprocess(unlessEmpty, list.default([])).default([]);
}

/** Outputs of a page besides `output_format`. */
export const pageFormats = ['markdown', 'html', 'text', 'links', 'images', 'source', 'dropped'] as const;

/** An empty value means none. */
export function formatList() {
  const error = 'Give a list of "markdown", "html", "text", "links", "images", "source", "dropped", each at most once.';
  const list = z
    .array(z.enum(pageFormats, { error }), { error })
    .refine((given) => new Set(given).size === given.length, error);
  return z.preprocess(unlessEmpty, list.default([])).default([]);
}

/** A flag for which every empty value means no. */
export function optionalFlag() {
  return z.preprocess(unlessEmpty, z.boolean({ error: 'Give true or false.' }).default(false)).default(false);
}

function unlessEmpty(given: unknown): unknown {
  return isEmpty(given) ? undefined : given;
}

/** Clients of other services send an empty value for an option that they do not use: false, null, '', [] or {}. */
export function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === false || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Comma-separated CSS selectors, at most 4,096 characters. */
export function selectors() {
  return z
    .string()
    .max(4_096, 'Give at most 4,096 characters.')
    .superRefine((text, context) => {
      if (text.trim() === '') return;
      try {
        compile(text);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        const message = `This is not a list of CSS selectors: ${why.replace(/\.+$/, '')}.`;
        context.addIssue({ code: 'custom', message });
      }
    });
}

const waitForMessage = 'Give a CSS selector of at most 1,024 characters, or milliseconds from 0 to 20,000.';

/** A selector or milliseconds, which a command line passes as digits. `false` and an empty text wait for nothing. */
export function waitFor() {
  return z
    .union([z.int().min(0).max(20_000), z.string().max(1_024), z.literal(false), z.null()], { error: waitForMessage })
    .transform((given) => {
      if (given === false || given === '') return null;
      return typeof given === 'string' && /^\d{1,5}$/.test(given) ? Number(given) : given;
    })
    .superRefine((given, context) => {
      if (typeof given === 'number' && given > 20_000) context.addIssue({ code: 'custom', message: waitForMessage });
      if (typeof given !== 'string') return;
      try {
        compile(given);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        context.addIssue({ code: 'custom', message: `This is not a CSS selector: ${why}.` });
      }
    })
    .default(null);
}

const screenshotMessage = 'Give an object such as {"format": "png", "full_page": true}, or null.';

/** `false` and `null` take none. */
export function screenshot() {
  const picture = z.strictObject(
    {
      format: z.enum(['png', 'jpeg'], { error: 'Give "png" or "jpeg".' }).default('png'),
      full_page: z.boolean({ error: 'Give true or false.' }).default(false),
    },
    { error: (issue) => (issue.code === 'unrecognized_keys' ? undefined : screenshotMessage) },
  );
  return z
    .union([picture, z.literal(false), z.null()], { error: screenshotMessage })
    .transform((given) => (given === false ? null : given))
    .default(null);
}

/** An absolute URL. Further checks follow where the service's settings are known. */
export function webhookUrl() {
  const message = 'Give an absolute https URL of at most 2,048 characters.';
  return z.string({ error: message }).max(webhookUrlLengthMax, message).nullable().optional();
}

/** In characters, both as written and in normal form. */
export const webhookUrlLengthMax = 2_048;

/** Values of `links`, `images` and `title`, in requests and when reading results. */
export const linkShapes = ['inline', 'reference', 'none'] as const;
export const imageShapes = ['all', 'described', 'none'] as const;
export const titleShapes = ['page', 'auto'] as const;
