import type { PageJson } from './decode.ts';

/** Amount of metadata before the text of a page. `short`: title, URL, date and language. */
export const frontMatters = ['full', 'short', 'none'] as const;
export type FrontMatter = (typeof frontMatters)[number];

/**
 * Puts YAML front matter before the text. JSON strings are valid YAML strings except for a few characters, which `yaml`
 * escapes.
 */
export function withFrontMatter({ meta, text, extracted }: PageJson, kind: FrontMatter = 'full'): string {
  const end = text.endsWith('\n') ? '' : '\n';
  if (kind === 'none') return text + end;
  const { url, fetchedUrl, meta: metadata } = meta;
  const fields =
    kind === 'short'
      ? shortFields(meta)
      : {
          title: metadata.title,
          url,
          ...(fetchedUrl !== url && { fetchedUrl }),
          ...(extracted !== undefined && { extracted }),
          ...withoutTitle(metadata),
        };
  const lines = Object.entries(fields).map(
    ([name, value]) => `${/^[A-Za-z]\w*$/.test(name) ? name : JSON.stringify(name)}: ${yaml(value)}`,
  );
  return `---\n${lines.join('\n')}\n---\n\n${text}${end}`;
}

function shortFields({ url, meta }: PageJson['meta']): Record<string, unknown> {
  const { title, publishedTime, modifiedTime, language } = meta;
  const date = modifiedTime ?? publishedTime;
  return { title, url, ...(date !== undefined && { date }), ...(language !== undefined && { language }) };
}

function yaml(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function withoutTitle(metadata: PageJson['meta']['meta']): Record<string, unknown> {
  const { title: _, ...rest } = metadata;
  return rest;
}
