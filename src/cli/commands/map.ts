import type { Hayrake, SiteMap } from '../../../packages/client/index.ts';
import { exitCodes } from '../../core/errors.ts';
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
  const ask = (client: Hayrake, signal: AbortSignal): Promise<SiteMap> => client.map(url, options, { signal });
  return onePageNow(program, flags, { place: 'map', url, ask }, (map) => {
    const { data: urls, truncated: _, ...rest } = map;
    if (flags['json'] === true) process.stdout.write(`${JSON.stringify({ ...rest, urls })}\n`);
    else if (urls.length > 0) process.stdout.write(`${urls.map(({ url }) => printable(url)).join('\n')}\n`);
    for (const line of remarksOn(map)) process.stderr.write(`hayrake: ${printable(line)}\n`);
    return map.status === 'mapped' ? exitCodes.done : exitCodes.failed;
  });
}

function remarksOn({ url, error, truncatedBy, notices, findings }: SiteMap): string[] {
  const lines = error ? [`${url}: ${error.reason}: ${error.detail}`] : [];
  if (truncatedBy === 'limit') lines.push('There are more URLs. Raise --limit.');
  if (truncatedBy === 'timeout') lines.push('The time was up, so URLs can be missing. Raise --timeout.');
  if (truncatedBy === 'unread') lines.push(...[...findings, ...notices].map(({ message }) => message));
  return lines;
}
