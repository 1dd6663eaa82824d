// How the text of a page differs from its earlier one: old and new side by side.
import { useRef } from 'preact/hooks';
import type { Diff } from '../api-types.ts';
import { query } from '../api.ts';
import { count, plural } from '../format.ts';
import { OutLink } from './basics.tsx';
import { search, setSearch } from '../router.ts';
import { Button, LinkButton } from './button.tsx';
import { useKeys } from './hooks.ts';
import { useGet } from './loaded.tsx';
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

/** The page that the address names, compared: one of `rows`, in a list of changes at `path`. */
export function ComparedPage({ path, rows }: { path: string; rows: readonly { readonly url: string }[] }) {
  const url = comparedAt(path);
  if (url === undefined) return null;
  const step = (by: number): void => {
    const next = rows[rows.findIndex((row) => row.url === url) + by];
    if (next) compare(path, next.url);
  };
  return <DiffView path={`${path}/diff${query({ url })}`} step={step} close={() => compare(path, undefined)} />;
}

export function CompareButton({ path, url }: { path: string; url: string }) {
  const isOpen = comparedAt(path) === url;
  const click = (): void => compare(path, isOpen ? undefined : url);
  return <Button kind="small" label="Compare" aria-pressed={isOpen} click={click} />;
}

/** A screen can have the lists of several schedules. */
function scheduleIn(path: string): string | undefined {
  return /^\/crawler\/schedules\/([^/]+)/.exec(path)?.[1];
}

function comparedAt(path: string): string | undefined {
  const isHere = (search.value.get('schedule') ?? undefined) === scheduleIn(path);
  return isHere ? (search.value.get('diff') ?? undefined) : undefined;
}

function compare(path: string, url: string | undefined): void {
  setSearch({ schedule: url && scheduleIn(path), diff: url });
}

/** `path`: of the request. `step`: to another page that changed; `close`: back to the list. */
function DiffView({ path, step, close }: { path: string; step: (by: number) => void; close: () => void }) {
  const { value, notice } = useGet<Diff>(path);
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
      <div class="row">
        <Button kind="small" label={withKey('Previous difference', 'p')} click={() => move(-1)} />
        <Button kind="small" label={withKey('Next difference', 'n')} click={() => move(1)} />
        <Button kind="small" label={withKey('Previous page', 'k')} click={() => step(-1)} />
        <Button kind="small" label={withKey('Next page', 'j')} click={() => step(1)} />
        <LinkButton kind="small" label="As a patch" href={path} target="_blank" />
        <Button kind="small" label="Close" click={close} />
      </div>
      {notice}
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

function withKey(label: string, key: string) {
  return (
    <>
      {label} <kbd>{key}</kbd>
    </>
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
