import type { Locator } from '../extract.ts';

/** What a job learned of one site, as far as people need to see it. */
export interface SiteRules {
  /** `name:port` or `name`. */
  readonly site: string;
  /** Grows whenever the places of a field change. 0: there are none yet. */
  readonly version: number;
  /** Pages that the model was asked about. */
  readonly asked: number;
  /** How the site writes what could be read in two ways; null if no answer tells. */
  readonly decimal: '.' | ',' | null;
  readonly dayOrder: 'day' | 'month' | null;
  readonly templates: readonly TemplateRules[];
  readonly fields: Readonly<Record<string, FieldRules>>;
}

export interface TemplateRules {
  /** A page of it. */
  readonly example: string;
  readonly asked: number;
  /** Asked pages that have a record. */
  readonly records: number;
  /** Its pages are read without a question. */
  readonly isSettled: boolean;
}

export interface FieldRules {
  /** The first one with a value counts. */
  readonly locators: readonly Locator[];
  readonly witness: Locator | null;
  /** What the page declares comes before the locators. */
  readonly declaredFirst: boolean;
  /** Pages with a record that the model was asked about, and those on which the rules read its answer. */
  readonly asked: number;
  readonly right: number;
  /** Pages that rules had read before the model was asked about them, and those that they read otherwise. */
  readonly judged: number;
  readonly misses: number;
}

/** Reads what jobs learned. */
export type ReadSiteRules = (jobId: string) => Promise<readonly SiteRules[]>;
