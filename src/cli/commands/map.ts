import type { Hayrake, SiteMap as ClientMap } from '../../../packages/client/index.ts';
import { exitCodes } from '../../core/errors.ts';
import { mapSite, type SiteMap } from '../../jobs/map-site.ts';
import { onePageNow } from '../one-page-now.ts';
import type { Flags } from '../flags.ts';
import { optionFields } from '../option-flags.ts';
import { printable } from '../output/terminal.ts';
import type { Program } from '../program.ts';
import { withHeaders, withoutLogin } from '../url-login.ts';

/** Writes the URLs of a site to standard output, one per line; what is missing goes to standard error. */
export function runMap(program: Program, given: string, flags: Flags): Promise<number> {
  const { urls, headers } = withoutLogin([given]);
  const [url = ''] = urls;
  const options = withHeaders(optionFields(flags, 'map'), headers);
  const there = async (client: Hayrake, signal: AbortSignal): Promise<ShownMap> => {
    const { data, truncated: _, ...rest } = await client.map(url, options, { signal });
    return { ...rest, urls: data };
  };
  const request = { place: 'map', body: { url, ...options }, run: mapSite, there } as const;
  return onePageNow(program, flags, request, (map: SiteMap | ShownMap) => {
    const urls = map.urls.map(({ url: found, lastmod }) =>
      typeof lastmod === 'string' ? { url: found, lastmod } : { url: found },
    );
    if (flags['json'] === true) process.stdout.write(`${JSON.stringify({ ...map, urls })}\n`);
    else if (urls.length > 0) process.stdout.write(`${urls.map(({ url }) => printable(url)).join('\n')}\n`);
    for (const line of remarksOn(map)) process.stderr.write(`hayrake: ${printable(line)}\n`);
    return map.status === 'mapped' ? exitCodes.done : exitCodes.failed;
  });
}

/** As a service returns it. */
type ShownMap = Omit<ClientMap, 'data' | 'truncated'> & { readonly urls: ClientMap['data'] };

function remarksOn({ url, error, truncatedBy, notices, findings }: SiteMap | ShownMap): string[] {
  const lines = error ? [`${url}: ${error.reason}: ${error.detail}`] : [];
  if (truncatedBy === 'limit') lines.push('There are more URLs. Raise --limit.');
  if (truncatedBy === 'timeout') lines.push('The time was up, so URLs can be missing. Raise --timeout.');
  if (truncatedBy === 'unread') lines.push(...[...findings, ...notices].map(({ message }) => message));
  return lines;
}
