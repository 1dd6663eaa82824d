// mdream's converter in Rust, without its package `mdream`: that one names a native package for each of thirteen machines, and
// a lock file can be installed from only where the registry has all of them.
import { createRequire } from 'node:module';

interface Native {
  htmlToMarkdown(html: string, options: { readonly origin: string }): { readonly markdown: string };
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a native module says nothing of its types
const native = createRequire(import.meta.url)('@mdream/rust-linux-x64-gnu') as Native;

/** The whole page: mdream chooses no content. */
export function htmlToMarkdown(html: string, url: string): string {
  return native.htmlToMarkdown(html, { origin: url }).markdown;
}
