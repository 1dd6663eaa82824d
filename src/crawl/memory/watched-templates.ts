import { hostKey, hostName } from '../../core/host-key.ts';
import type { JudgedJob } from '../../url/scope.ts';
import { type UrlTemplates, urlTemplates } from '../../url/url-template.ts';
import { registrableDomain } from '../pace/registrable-domain.ts';

/** What {@link TemplateWatch} watches of a URL. */
export interface WatchedTemplates extends UrlTemplates {
  /** The URL is on one of the names of a domain that the job leads to. */
  readonly names?: NamesTemplate;
}

export interface NamesTemplate {
  /** The fine template with all names of the domain: `*.example.com:443/p/#`. */
  readonly template: string;
  readonly host: string;
}

export function watchedTemplates(url: URL, job: Pick<JudgedJob, 'parentNames' | 'allowExternal'>): WatchedTemplates {
  const templates = urlTemplates(url);
  const name = hostName(url);
  if (job.parentNames.size === 0 && !job.allowExternal) return templates;
  const domain = registrableDomain(name);
  // A site of its own, not one of many names.
  if (domain === undefined || name === domain || name === `www.${domain}`) return templates;
  const template = `*.${domain}${templates.fine.slice(name.length)}`;
  return { ...templates, names: { template, host: hostKey(url) } };
}
