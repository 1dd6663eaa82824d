import { useEffect, useRef, useState } from 'preact/hooks';
import { search, setSearch } from '../router.ts';

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

/** The text of a field, and its setter. Once it rests, it is a parameter of the address. */
export function useSearchText(name: string, restMs = 250): [text: string, setText: (text: string) => void] {
  const [text, setText] = useState(search.value.get(name) ?? '');
  const settled = useSettled(text, restMs).trim();
  useEffect(() => setSearch({ [name]: settled }), [settled]);
  return [text, setText];
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
