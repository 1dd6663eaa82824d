// Small parts that every screen uses.
import type { ComponentChildren, RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { insideOf, isStopped, type Job, type JobStatus, type Progress } from '../api-types.ts';
import { ApiError } from '../api.ts';
import { count } from '../format.ts';
import { useAction } from './hooks.ts';

const statusWords: Readonly<Record<JobStatus, string>> = {
  starting: 'Starting',
  running: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

export function StatusBadge({
  job: { status, stoppedAt, expired, complete, findings },
}: {
  job: Pick<Job, 'status' | 'stoppedAt' | 'expired' | 'complete' | 'findings'>;
}) {
  if (expired)
    return (
      <span
        class="badge badge-expired"
        title={`${statusWords[status]}. The results are gone: they expired, or were deleted.`}
      >
        <span class="dot" />
        Expired
      </span>
    );
  if (status === 'succeeded' && complete === false)
    return (
      <span class="badge badge-incomplete" title={findings.map(({ message }) => message).join(' ')}>
        <span class="dot" />
        Incomplete
      </span>
    );
  const isHeld = isStopped({ status, stoppedAt });
  return (
    <span
      class={`badge badge-${isHeld ? 'stopped' : status}`}
      title={isHeld ? 'Nothing is requested until somebody resumes it.' : undefined}
    >
      <span class="dot" />
      {isHeld ? 'Stopped' : statusWords[status]}
    </span>
  );
}

/** How the URLs inside a job are divided. */
export function ProgressBar({ progress }: { progress: Progress }) {
  const { scraped, discarded, failed } = progress;
  const all = insideOf(progress);
  const share = (part: number): { width: string } => ({
    width: `${all === 0 ? 0 : (100 * part) / all}%`,
  });
  const label = `${count(scraped)} scraped, ${count(discarded)} discarded, ${count(failed)} failed of ${count(all)} URLs`;
  return (
    <span class="bar" role="img" aria-label={label} title={label}>
      <span class="bar-scraped" style={share(scraped)} />
      <span class="bar-failed" style={share(failed)} />
      <span class="bar-discarded" style={share(discarded)} />
    </span>
  );
}

export function ErrorNote({ error, retry }: { error: Error; retry?: () => void }) {
  const fields = error instanceof ApiError ? error.fields : [];
  return (
    <div class="note note-bad" role="alert">
      <p>{error.message}</p>
      {fields.length > 1 && (
        <ul>
          {fields.map(({ field, message }) => (
            <li key={field}>
              <code>{field}</code>: {message}
            </li>
          ))}
        </ul>
      )}
      {retry && (
        <button type="button" class="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** An empty list says what would be in it and how it gets there. */
export function Empty({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <div class="empty">
      <svg viewBox="0 0 48 48" width="40" height="40" aria-hidden="true">
        <path d="M10 14h28M13 14v13M20 14v18M28 14v18M35 14v13" />
      </svg>
      <h2>{title}</h2>
      <div>{children}</div>
    </div>
  );
}

/** Text of code with a button that copies it. */
export function Code({ text, label }: { text: string; label: string }) {
  return (
    <div class="code">
      <pre tabIndex={0} role="region" aria-label={label}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} />
    </div>
  );
}

export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [state, setState] = useState('');
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (): Promise<void> => {
    // Browsers allow it only over TLS and on this machine.
    const done = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    setState(done ? 'Copied' : 'Select it, and copy by hand');
    timer.current = setTimeout(() => setState(''), 2_000);
  };
  return (
    <button type="button" class="button button-small" onClick={() => void copy()}>
      <span aria-live="polite">{state === '' ? label : state}</span>
    </button>
  );
}

/** `label` also stands in the box while that is empty. */
export function SearchInput(props: {
  label: string;
  value: string;
  set: (value: string) => void;
  box?: RefObject<HTMLInputElement | null>;
}) {
  const { label, value, set, box } = props;
  return (
    <input
      ref={box ?? null}
      type="search"
      class="search"
      placeholder={label}
      aria-label={label}
      value={value}
      onInput={(event) => set(event.currentTarget.value)}
    />
  );
}

/** Lines where text will be, of its height, so that nothing moves when it arrives. */
export function Skeleton({ lines }: { lines: number }) {
  return (
    <div class="skeleton" aria-hidden="true">
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}

/** `controls`: the id of the panel. Its label is the tab with this id, a dash and the name. */
export function Tabs<Name extends string>(props: {
  label: string;
  names: readonly Name[];
  /** @default the names */
  titles?: Readonly<Record<Name, string>>;
  chosen: Name;
  controls: string;
  choose: (name: Name) => void;
}) {
  const { label, names, titles, chosen, controls, choose } = props;
  return (
    <div class="tabs-small" role="tablist" aria-label={label}>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          role="tab"
          id={`${controls}-${name}`}
          aria-controls={controls}
          aria-selected={name === chosen}
          onClick={() => choose(name)}
        >
          {titles?.[name] ?? name}
        </button>
      ))}
    </div>
  );
}

/** A button that asks once more before it acts. */
export function ConfirmButton(props: {
  label: string;
  question: string;
  confirm: string;
  act: () => Promise<void>;
  /** Fields below the question. */
  children?: ComponentChildren;
  class?: string;
  /** @default Keep it */
  dismiss?: string;
  /** Nothing is removed or ended. */
  isHarmless?: boolean;
}) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { isBusy, error, run } = useAction();
  const act = async (): Promise<void> => {
    await props.act();
    dialog.current?.close();
  };
  return (
    <>
      <button type="button" class={`button ${props.class ?? ''}`} onClick={() => dialog.current?.showModal()}>
        {props.label}
      </button>
      <dialog ref={dialog} aria-label={props.label}>
        <p>{props.question}</p>
        {props.children}
        {error && <ErrorNote error={error} />}
        <div class="actions actions-end">
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            {props.dismiss ?? 'Keep it'}
          </button>
          <button
            type="button"
            class={`button ${props.isHarmless === true ? 'button-primary' : 'button-danger'}`}
            disabled={isBusy}
            onClick={() => void run(act)}
          >
            {props.confirm}
          </button>
        </div>
      </dialog>
    </>
  );
}

/** Text with code between backticks. */
export function Prose({ text }: { text: string }) {
  return <>{text.split('`').map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : part))}</>;
}

/** A link to the web: the site does not learn where it was followed. */
export function OutLink({ url, children }: { url: string; children: ComponentChildren }) {
  // URLs of pages come from the web.
  if (!/^https?:\/\//i.test(url)) return <span>{children}</span>;
  return (
    <a href={url} target="_blank" rel="noopener noreferrer">
      {children}
    </a>
  );
}
