// Small parts that every screen uses.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { insideOf, isStopped, type Job, type JobStatus, type Progress } from '../api-types.ts';
import { ApiError } from '../api.ts';
import { count } from '../format.ts';
import { isAsked } from '../request.ts';
import { Button } from './button.tsx';

const statusWords: Readonly<Record<JobStatus, string>> = {
  starting: 'Starting',
  running: 'Running',
  succeeded: 'Succeeded',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

export function StatusBadge({ job }: { job: Job }) {
  const [kind, text, about] = stateOf(job);
  return (
    <span class={`badge small badge-${kind}`} title={about}>
      <span class="dot" />
      {text}
    </span>
  );
}

export function stateOf(job: Job): readonly [kind: string, text: string, about?: string] {
  const { status, expired, complete, findings, progress } = job;
  const name = statusWords[status];
  if (expired) return ['expired', 'Expired', `${name}. The results are gone: they expired, or were deleted.`];
  if (status === 'succeeded' && complete === false) {
    const about = findings.map(({ message }) => message).join(' ');
    if (!findings.every((finding) => isAsked(job, finding))) return ['incomplete', 'Incomplete', about];
    const left = findings.reduce((most, finding) => Math.max(most, finding.count), 0);
    return ['asked', `${count(progress.scraped)} of at least ${count(progress.scraped + left)}, as asked`, about];
  }
  if (isStopped(job)) return ['stopped', 'Stopped', 'Nothing is requested until somebody resumes it.'];
  return [status, name];
}

/** How the URLs inside a job are divided. */
export function ProgressBar({ progress }: { progress: Progress }) {
  const { scraped, discarded, failed } = progress;
  const all = insideOf(progress);
  const label = `${count(scraped)} scraped, ${count(discarded)} discarded, ${count(failed)} failed of ${count(all)} URLs`;
  return <Bar parts={{ scraped, failed, discarded }} of={all} label={label} />;
}

/** Parts of a whole, each in its colour. Without a label it only decorates a number. */
export function Bar(props: { parts: Readonly<Record<string, number>>; of: number; label?: string }) {
  const { parts, of, label } = props;
  const about =
    label === undefined ? ({ 'aria-hidden': true } as const) : { role: 'img' as const, 'aria-label': label };
  return (
    <span class="bar" title={label} {...about}>
      {Object.entries(parts).map(([name, part]) => (
        <span key={name} class={`bar-${name}`} style={{ width: `${of === 0 ? 0 : (100 * part) / of}%` }} />
      ))}
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
      {retry && <Button label="Try again" click={retry} />}
    </div>
  );
}

/** An empty list says what would be in it and how it gets there. */
export function Empty({ title, text, children }: { title: string; text?: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <svg viewBox="0 0 48 48" width="40" height="40" aria-hidden="true">
        <path d="M10 14h28M13 14v13M20 14v18M28 14v18M35 14v13" />
      </svg>
      <h2>{title}</h2>
      <div>
        {text !== undefined && (
          <p>
            <Prose text={text} />
          </p>
        )}
        {children}
      </div>
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
  return <Button kind="small" label={<span aria-live="polite">{state === '' ? label : state}</span>} click={copy} />;
}

/** Lines where text will be, of its height, so that nothing moves when it arrives. */
export function Skeleton({ lines }: { lines: number }) {
  return (
    <div class="skeleton stack" aria-hidden="true">
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}

export function Card({ title, class: kind = '', children }: CardProps) {
  return (
    <section class={`card ${kind}`}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

interface CardProps {
  readonly title: ComponentChildren;
  readonly class?: string;
  readonly children: ComponentChildren;
}

type Fact = readonly [name: string, value: ComponentChildren];

/** Names and values. What is `false` is left out. */
export function Facts({ of, class: kind = '' }: { of: readonly (Fact | false)[]; class?: string }) {
  return (
    <dl class={`facts ${kind}`}>
      {of.map(
        (fact) =>
          fact !== false && (
            <div key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** Text with code between backticks. */
export function Prose({ text, class: look }: { text: string; class?: string }) {
  const parts = text.split('`');
  return <span class={look}>{parts.map((part, at) => (at % 2 === 1 ? <code key={at}>{part}</code> : part))}</span>;
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

export function Logo({ size }: { size: number }) {
  return (
    <svg class="logo" viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      <rect width="32" height="32" rx="7" />
      <path d="M7 9h18M9 9v9M14 9v12M18 9v12M23 9v9" />
    </svg>
  );
}
