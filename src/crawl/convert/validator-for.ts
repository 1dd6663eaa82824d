import { validatorOf } from '../../core/baseline.ts';
import type { PageInput } from './converter.ts';

/** What a later job can ask this URL with. Where a redirect led, or what a browser made of a page, has none. */
export function validatorFor({ requestUrl, fetchedUrl, isRendered, headers }: PageInput): string | undefined {
  return requestUrl === fetchedUrl && isRendered !== true ? validatorOf(headers) : undefined;
}
