import { useEffect, useRef, useState } from 'preact/hooks';

export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly error: Error | undefined;
  readonly isLoading: boolean;
  readonly reload: () => void;
}

/**
 * Loads a value, again whenever `key` changes. An older load that is still under way is cancelled. While it is loaded again
 * under the same key, the last value stays.
 */
export function useLoaded<Value>(key: string, load: (signal: AbortSignal) => Promise<Value>): Loaded<Value> {
  const [state, setState] = useState<{ key: string; value?: Value; error?: Error; isLoading: boolean }>({
    key,
    isLoading: true,
  });
  const [round, setRound] = useState(0);
  useEffect(() => {
    const abort = new AbortController();
    setState((last) => (last.key === key ? { ...last, isLoading: true } : { key, isLoading: true }));
    load(abort.signal).then(
      (value) => {
        if (!abort.signal.aborted) setState({ key, value, isLoading: false });
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        setState((last) => ({ ...last, key, error: error as Error, isLoading: false }));
      },
    );
    return () => abort.abort();
  }, [key, round]);
  const isOfKey = state.key === key;
  return {
    value: isOfKey ? state.value : undefined,
    error: isOfKey ? state.error : undefined,
    isLoading: !isOfKey || state.isLoading,
    reload: () => setRound((last) => last + 1),
  };
}

/**
 * Runs what a person starts. A newer run cancels the older one, and so does leaving the screen.
 * `fail` gets the error. @default it is kept until the next run
 */
export function useAction(fail?: (error: Error) => void): {
  readonly isBusy: boolean;
  readonly error: Error | undefined;
  readonly run: (act: (signal: AbortSignal) => Promise<void>) => Promise<void>;
} {
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const latest = useRef<AbortController>(undefined);
  useEffect(() => () => latest.current?.abort(), []);
  const run = async (act: (signal: AbortSignal) => Promise<void>): Promise<void> => {
    latest.current?.abort();
    const { signal } = (latest.current = new AbortController());
    setBusy(true);
    setError(undefined);
    try {
      await act(signal);
    } catch (failure) {
      if (!signal.aborted) (fail ?? setError)(failure as Error);
    } finally {
      if (!signal.aborted) setBusy(false);
    }
  };
  return { isBusy, error, run };
}

/** Calls `run` every `ms` while the page is visible; 0 never does. */
export function useInterval(run: () => void, ms: number): void {
  const latest = useRef(run);
  latest.current = run;
  useEffect(() => {
    if (ms === 0) return undefined;
    const timer = setInterval(() => {
      if (!document.hidden) latest.current();
    }, ms);
    return () => clearInterval(timer);
  }, [ms]);
}

/** The time, again every `ms`. */
export function useNow(ms: number): number {
  const [now, setNow] = useState(Date.now);
  useInterval(() => setNow(Date.now()), ms);
  return now;
}

/** The value, once it has not changed for `ms`. */
export function useSettled<Value>(value: Value, ms: number): Value {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return settled;
}

export function useTitle(title: string): void {
  useEffect(() => void (document.title = `${title} · hayrake`), [title]);
}

/** Keys pressed anywhere but in a field. */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.altKey) return;
      if (event.target instanceof Element && event.target.matches('input, textarea, select')) return;
      const run = latest.current[event.key];
      if (!run) return;
      event.preventDefault();
      run();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
}
