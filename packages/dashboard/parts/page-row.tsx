// A page in a list.
import type { PageMeta } from '../api-types.ts';
import { count, pathOf } from '../format.ts';

export function PageRow({ number, meta }: { number: number; meta: PageMeta | undefined }) {
  if (!meta)
    return (
      <>
        <span class="row-number">{count(number)}</span>
        <span class="row-waiting" />
      </>
    );
  const { title, wordCount } = meta.meta;
  return (
    <>
      <span class="row-number">{count(number)}</span>
      <span class="row-text">
        <span class="row-title clip">{title === '' ? pathOf(meta.url) : title}</span>
        <span class="row-url clip">{pathOf(meta.url)}</span>
      </span>
      {wordCount !== undefined && <span class="row-words">{count(wordCount)} words</span>}
    </>
  );
}
