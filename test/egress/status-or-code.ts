import type { Way } from '../../src/fetch/guard/ways.ts';

/** Returns the status of a response, or the code of the error that came instead. */
export function statusOrCode({ dispatcher }: Way, origin: string, path: string): Promise<unknown> {
  return new Promise((resolve) => {
    dispatcher.dispatch(
      { origin, path, method: 'GET', headers: [] },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_, statusCode) => resolve(statusCode),
        onResponseError: (_, error) => resolve('code' in error ? error.code : undefined),
      },
    );
  });
}
