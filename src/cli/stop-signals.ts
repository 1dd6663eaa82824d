import { exitCodes } from '../core/errors.ts';

export interface StopSignals {
  /** Resolves at the first SIGINT or SIGTERM. */
  readonly first: Promise<undefined>;
  /** Fires at the same moment. */
  readonly signal: AbortSignal;
  /** Restores the default behaviour of signals. */
  ignore(): void;
}

/** `npm run` forwards the Ctrl-C that the terminal has already sent to the program: one press, two signals. */
const samePressMs = 250;

/** The first signal stops in order. The second exits at once, and loses nothing either: all data is on disk. */
export function stopSignals(): StopSignals {
  const stop = new AbortController();
  const { promise, resolve } = Promise.withResolvers<undefined>();
  let pressedAt = Number.NEGATIVE_INFINITY;
  const onSignal = (signal: NodeJS.Signals): void => {
    const isSamePress = signal === 'SIGINT' && performance.now() - pressedAt < samePressMs;
    if (isSamePress) return;
    if (stop.signal.aborted) process.exit(exitCodes.interrupted);
    if (signal === 'SIGINT') pressedAt = performance.now();
    stop.abort();
    resolve(undefined);
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return {
    first: promise,
    signal: stop.signal,
    ignore: () => {
      process.off('SIGINT', onSignal);
      process.off('SIGTERM', onSignal);
    },
  };
}
