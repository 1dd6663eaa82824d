// How the text of a page differs from its earlier one: old and new side by side.
import { useRef } from 'preact/hooks';
import type { Diff } from '../api-types.ts';
import { call } from '../api.ts';
import { count, plural } from '../format.ts';
import { ErrorNote, OutLink, Skeleton } from './basics.tsx';
import { useKeys, useLoaded } from './hooks.ts';
import { Time } from './time.tsx';

type Line = Diff['hunks'][number]['lines'][number];

interface Row {
  readonly old: { readonly number: number; readonly line: Line } | undefined;
  readonly now: { readonly number: number; readonly line: Line } | undefined;
  /** The first of lines that differ. */
  readonly isStart: boolean;
}

/** More would make the page slow; the patch has all. */
const rowsMax = 2_000;

/** `path`: of the request. `step`: to another page that changed; `close`: back to the list. */
export function DiffView({ path, step, close }: { path: string; step: (by: number) => void; close: () => void }) {
  const { value, error, reload } = useLoaded(path, (signal) => call<Diff>(path, { signal }));
  const region = useRef<HTMLElement>(null);
  const at = useRef<HTMLElement>(null);
  const move = (by: number): void => {
    const starts = [...(region.current?.querySelectorAll<HTMLElement>('[data-start]') ?? [])];
    const last = at.current === null ? -1 : starts.indexOf(at.current);
    const next = starts[last === -1 && by < 0 ? starts.length - 1 : last + by];
    if (!next) return;
    at.current = next;
    next.focus();
  };
  useKeys({ n: () => move(1), p: () => move(-1), j: () => step(1), k: () => step(-1), Escape: close });
  const rows = value?.hunks.map(rowsOf) ?? [];
  const shown = rows.flat().length;
  return (
    <section class="card diff" ref={region} aria-label="The difference">
      <div class="actions">
        <button type="button" class="button button-small" onClick={() => move(-1)}>
          Previous difference <kbd>p</kbd>
        </button>
        <button type="button" class="button button-small" onClick={() => move(1)}>
          Next difference <kbd>n</kbd>
        </button>
        <button type="button" class="button button-small" onClick={() => step(-1)}>
          Previous page <kbd>k</kbd>
        </button>
        <button type="button" class="button button-small" onClick={() => step(1)}>
          Next page <kbd>j</kbd>
        </button>
        <a class="button button-small" href={path} target="_blank">
          As a patch
        </a>
        <button type="button" class="button button-small" onClick={close}>
          Close
        </button>
      </div>
      {error && <ErrorNote error={error} retry={reload} />}
      {!value && !error && <Skeleton lines={6} />}
      {value && (
        <>
          <p>
            <OutLink url={value.url}>{value.url}</OutLink>, compared <Time at={value.runAt} /> by{' '}
            <a href={`/jobs/${value.job}/changes`}>its job</a>.
          </p>
          {value.truncated && (
            <p class="note note-warn">
              The texts are too large, or differ too much, to be compared in full: some lines that count as changed may
              be equal, and what comes later is missing.
            </p>
          )}
          {value.title !== undefined && (
            <p>
              Title: <del>{value.previousTitle}</del> <ins>{value.title}</ins>
            </p>
          )}
          {value.hunks.length === 0 && !value.truncated && (
            <p class="muted">The texts are equal: only title, record or markup have changed.</p>
          )}
          {shown > 0 && <Lines hunks={cut(rows)} />}
          {shown > rowsMax && (
            <p class="muted">
              These are the first {count(rowsMax)} of {plural(shown, 'line')}. The patch has all.
            </p>
          )}
        </>
      )}
    </section>
  );
}

function Lines({ hunks }: { hunks: readonly (readonly Row[])[] }) {
  return (
    <div class="diff-lines" tabIndex={0} role="region" aria-label="Old and new text">
      <table>
        <colgroup>
          <col class="diff-number" />
          <col />
          <col class="diff-number" />
          <col />
        </colgroup>
        <thead>
          <tr>
            <th scope="col" colSpan={2}>
              Old
            </th>
            <th scope="col" colSpan={2}>
              New
            </th>
          </tr>
        </thead>
        {hunks.map((hunk, index) => (
          <tbody key={index}>
            {hunk.map((row, place) => (
              <tr key={place} {...(row.isStart && { 'data-start': '', tabIndex: -1 })}>
                <Side side={row.old} kind="removed" />
                <Side side={row.now} kind="added" />
              </tr>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}

function Side({ side, kind }: { side: Row['old']; kind: 'removed' | 'added' }) {
  if (!side) return <td class="diff-none" colSpan={2} />;
  const isChanged = side.line.kind === kind;
  const isWhole = side.line.parts.every(({ changed }) => changed);
  const Part = kind === 'removed' ? 'del' : 'ins';
  return (
    <>
      <td class="diff-number">{side.number}</td>
      <td class={isChanged ? `diff-${kind}` : undefined} dir="auto">
        {side.line.parts.map(({ text, changed }, index) =>
          changed && !isWhole ? <Part key={index}>{text}</Part> : <span key={index}>{text}</span>,
        )}
      </td>
    </>
  );
}

/** Lines that were removed stand next to those that were added in their place. */
function rowsOf({ oldStart, newStart, lines }: Diff['hunks'][number]): Row[] {
  const rows: Row[] = [];
  let [oldNumber, newNumber] = [oldStart, newStart];
  let [removed, added]: [Line[], Line[]] = [[], []];
  const flush = (): void => {
    for (let index = 0; index < Math.max(removed.length, added.length); index++) {
      const [old, now] = [removed[index], added[index]];
      rows.push({
        old: old && { number: oldNumber++, line: old },
        now: now && { number: newNumber++, line: now },
        isStart: index === 0,
      });
    }
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    if (line.kind === 'removed') removed.push(line);
    else if (line.kind === 'added') added.push(line);
    else {
      flush();
      rows.push({ old: { number: oldNumber++, line }, now: { number: newNumber++, line }, isStart: false });
    }
  }
  flush();
  return rows;
}

function cut(hunks: readonly (readonly Row[])[]): readonly (readonly Row[])[] {
  let room = rowsMax;
  return hunks.flatMap((rows) => {
    const kept = rows.slice(0, Math.max(room, 0));
    room -= rows.length;
    return kept.length === 0 ? [] : [kept];
  });
}
