// The only place where text becomes HTML: for a document that runs and loads nothing, and for the reading frame.

interface Policy {
  createHTML(text: string): string;
}

const factory = (globalThis as { trustedTypes?: { createPolicy(name: string, rules: Policy): Policy } }).trustedTypes;
const rules: Policy = { createHTML: (text) => text };
const policy = factory?.createPolicy('hayrake', rules) ?? rules;

export interface InertHtml {
  /** Parses a page. The document has no window: its scripts do not run, and its pictures are not loaded. */
  parsedPage(html: string): Document;
  showInFrame(frame: HTMLIFrameElement, html: string): void;
}

export const inertHtml: InertHtml = {
  parsedPage: (html) => new DOMParser().parseFromString(policy.createHTML(html), 'text/html'),
  showInFrame: (frame, html) => {
    frame.srcdoc = policy.createHTML(html);
  },
};
