import { ExitError, exitCodes } from '../core/errors.ts';

/** A service crawls with the data directory of a command that needs to crawl itself. */
export class BesideService extends ExitError {
  /** Where the API of the service is. */
  readonly origin: string;
  readonly data: string;
  readonly needsToken: boolean;

  constructor(origin: string, data: string, needsToken: boolean) {
    super(exitCodes.directoryInUse, `The service at ${origin} uses ${data}.`);
    this.origin = origin;
    this.data = data;
    this.needsToken = needsToken;
  }
}

/**
 * The same command line for a service. Settings of this process, such as its data directory, have no place in it:
 * `settingFlags` are their flags, each with a value.
 */
export function commandFor(origin: string, args: readonly string[], settingFlags: ReadonlySet<string>): string[] {
  const kept: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] ?? '';
    const [flag = '', value] = arg.split('=', 2);
    if (!settingFlags.has(flag)) kept.push(arg);
    else if (value === undefined) index++;
  }
  return [...kept, '--server', origin];
}
