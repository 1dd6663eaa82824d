// Counted notices: one per code, with the number of cases and the first example.
import type { JobNotice } from '../../../core/job.ts';
import type { CountedCode } from '../../../core/reasons.ts';

const texts: Readonly<Record<CountedCode, (count: number, example: string) => string>> = {
  links_cut: (count, example) =>
    `${pages(count)} 50,000 links or more, such as ${example}. Links beyond that number are not followed.`,
  cookies_cut: (count, example) =>
    `${count === 1 ? '1 response' : `${count.toLocaleString('en')} responses`} set more or longer cookies than a job keeps, such as that of ${example}. A site that needs them may return different pages.`,
  truncated: (count, example) =>
    `${pages(count)} more content than the service reads, such as ${example}. Text, metadata and links cover only the beginning; \`truncated\` in the metadata marks such pages.`,
  needs_javascript: (count, example) =>
    `${pages(count)} almost no text without JavaScript, such as ${example}. With \`use_browser: auto\` such pages are rendered in a browser.`,
  no_text_layer: (count, example) =>
    `${pages(count)} no text because the files contain only images, such as ${example}. Text in images is not recognized; \`warning\` in the metadata marks such pages.`,
  unreadable_text: (count, example) =>
    `${pages(count)} characters whose fonts do not say which letters they are, such as ${example}. The text lacks them; \`unreadableCharacters\` in the metadata has their number.`,
  browser_missing: (count, example) =>
    `${pages(count)} almost no text without a browser, such as ${example}, and there is none. docs/browser.md explains how to install one.`,
  browser_unsandboxed: (count, example) =>
    `${count === 1 ? '1 page was' : `${count.toLocaleString('en')} pages were`} rendered in a browser without sandbox and network namespace (HAYRAKE_BROWSER_SANDBOX=off), such as ${example}.`,
  rendered_pages: (count, example) =>
    `${count === 1 ? '1 page was' : `${count.toLocaleString('en')} pages were`} rendered in a browser, such as ${example}.`,
  render_failed: (count, example) =>
    `${count === 1 ? '1 page' : `${count.toLocaleString('en')} pages`} could not be rendered in a browser, such as ${example}. Delivered as fetched.`,
  render_cut: (count, example) =>
    `${pages(count)} more requests, more bytes or longer work than the browser allows a page, such as ${example}. Delivered with what had loaded.`,
  wait_for_unmatched: (count, example) => `${pages(count)} nothing that \`wait_for\` matches, such as ${example}.`,
  no_screenshot: (count, example) =>
    `${pages(count)} no screenshot, such as ${example}: it could not be taken, exceeds 10 MiB, or the page is a file.`,
  notices_cut: (count, example) =>
    `${count} further ${count === 1 ? 'notice is' : 'notices are'} not listed. The first of them: ${example}`,
};

function pages(count: number): string {
  return count === 1 ? '1 page has' : `${count.toLocaleString('en')} pages have`;
}

/** Counts one more case. An existing notice keeps its time and its example. */
export function countNotice(row: { notices: string }, code: CountedCode, example: string, now: number): void {
  const notices = JSON.parse(row.notices) as JobNotice[];
  const at = notices.findIndex((notice) => notice.code === code);
  const known = notices[at];
  const count = (known?.count ?? 0) + 1;
  const first = known?.example ?? example;
  const notice = { code, message: texts[code](count, first), at: known?.at ?? now, count, example: first };
  row.notices = JSON.stringify(known ? notices.with(at, notice) : [...notices, notice]);
}
