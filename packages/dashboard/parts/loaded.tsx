// What a screen loads, and what stands in its place until it is there.
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { List } from '../api-types.ts';
import { call, query } from '../api.ts';
import { ErrorNote, Skeleton } from './basics.tsx';
import { Button } from './button.tsx';
import { useInterval } from './hooks.ts';

export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly error: Error | undefined;
  /** What went wrong, or lines until there is a value. */
  readonly notice: ComponentChildren;
  readonly reload: () => void;
}

/**
 * Loads a value, again whenever `key` changes. An older load that is still under way is cancelled. While it is loaded again
 * under the same key, the last value stays. `lines`: of its text, about.
 */
export function useLoaded<Value>(key: string, load: (signal: AbortSignal) => Promise<Value>, lines = 6): Loaded<Value> {
  const [state, setState] = useState<{ key: string; value?: Value; error?: Error }>({ key });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    if (state.key !== key) setState({ key });
    load(abort.signal).then(
      (value) => abort.signal.aborted || setState({ key, value }),
      (error: unknown) => abort.signal.aborted || setState((last) => ({ ...last, key, error: error as Error })),
    );
    return () => abort.abort();
  }, [key, round]);
  const { value, error }: typeof state = state.key === key ? state : { key };
  const reload = (): void => setRound((last) => last + 1);
  const waiting = value === undefined && <Skeleton lines={lines} />;
  return { value, error, notice: error ? <ErrorNote error={error} retry={reload} /> : waiting, reload };
}

interface GetOptions {
  /** Another one loads again. */
  readonly key?: string | number;
  readonly lines?: number;
  /** @default never again */
  readonly everyMs?: number;
}

/** Loads what a path of the API responds with. */
export function useGet<Value>(path: string, { key = '', lines, everyMs = 0 }: GetOptions = {}): Loaded<Value> {
  const loaded = useLoaded(`${path} ${key}`, (signal) => call<Value>(path, { signal }), lines);
  useInterval(loaded.reload, everyMs);
  return loaded;
}

/** A list of the API, page by page. `pager`: the buttons that turn the pages; none while there is one page. */
export function usePaged<Row>(path: string, options: GetOptions) {
  const [cursors, setCursors] = useState<readonly string[]>([]);
  const list = useGet<List<Row>>(`${path}${query({ limit: 50, cursor: cursors.at(-1) })}`, options);
  const next = list.value?.cursor;
  const isFirst = cursors.length === 0;
  const pager = (next !== undefined || !isFirst) && (
    <div class="row">
      <Button label="Newer" disabled={isFirst} click={() => setCursors(cursors.slice(0, -1))} />
      <Button label="Older" disabled={next === undefined} click={() => next && setCursors([...cursors, next])} />
    </div>
  );
  return { ...list, rows: list.value?.data, isFirst, pager, toFirst: () => setCursors([]) };
}
