/**
 * Fires when the first of the signals does, with its reason. For a signal that each page asks whether it has fired:
 * one of `AbortSignal.any` looks at its sources each time, 8 us a page. It listens to the sources until it fires.
 */
export function firstSignal(...sources: readonly AbortSignal[]): AbortSignal {
  const first = new AbortController();
  const { signal } = first;
  for (const source of sources) {
    if (source.aborted) first.abort(source.reason);
    else source.addEventListener('abort', () => first.abort(source.reason), { signal });
  }
  return signal;
}
