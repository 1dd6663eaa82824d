// Fields that clients of other services send, or that are planned. Clients often send them with a value that means
// "no".
import { z } from 'zod';
import type { Option, Place, Refusal } from './option.ts';
import { isEmpty } from './schemas.ts';

const both = ['crawl', 'scrape', 'batch'] as const;

/** Rows of the table of options without effect. A field that gains one moves to `table.ts`. */
export const fieldsNotYet = {
  advanced_proxy: field('advanced_proxy', both, 'Fetching through a special proxy'),
};

function field(name: string, places: readonly Place[], what: string) {
  return {
    schema: z
      .unknown()
      .optional()
      .transform(() => undefined),
    about: `${what}: not supported yet. \`false\`, \`null\` and an empty value are ignored; anything else is refused.`,
    places,
    refuse: ({ [name]: given }: Readonly<Record<string, unknown>>): Refusal | undefined =>
      isEmpty(given)
        ? undefined
        : { code: 'not_supported_yet', message: `\`${name}\` is not supported yet. Leave it out.` },
  } as const satisfies Option;
}
