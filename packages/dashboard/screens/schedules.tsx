// The schedules of the org: when each runs next, how it ran, and what can be done with it.
import { useState } from 'preact/hooks';
import type { Job, List, MadeRun, Schedule } from '../api-types.ts';
import { call, can, query } from '../api.ts';
import { changesText, shortUrl } from '../format.ts';
import { Empty, ErrorNote, StatusBadge } from '../parts/basics.tsx';
import { Button, LinkButton } from '../parts/button.tsx';
import { ConfirmButton } from '../parts/controls.tsx';
import { useAction } from '../parts/hooks.ts';
import { useGet, usePaged } from '../parts/loaded.tsx';
import { Screen } from '../parts/screen.tsx';
import { Time } from '../parts/time.tsx';
import { go, search } from '../router.ts';
import { ScheduleChanges } from './schedule-changes.tsx';
import { ScheduleDialog } from './schedule-job.tsx';

const runsShown = 20;
const refreshMs = 10_000;

export function SchedulesScreen() {
  const {
    rows = [],
    value,
    notice,
    reload,
    isFirst,
    pager,
  } = usePaged<Schedule>('/crawler/schedules', {
    everyMs: refreshMs,
  });
  return (
    <Screen
      title="Schedules"
      lead="A schedule makes a job of the same request at certain times. Schedule on a job makes one of its request."
    >
      {can('write') && (
        <p>
          <ScheduleDialog
            key={rows.length}
            label="New schedule"
            question="Crawl at certain times? Each run is a job of its own."
            confirm="Create the schedule"
            save={(fields) => call('/crawler/schedules', { json: fields }).then(reload)}
          />
        </p>
      )}
      {notice}
      {value && rows.length === 0 && isFirst && (
        <Empty title="There is no schedule" text="Its first run has all pages, each later one says what changed." />
      )}
      {rows.length > 0 && (
        <section class="card" aria-label="Schedules of the org">
          <ul class="schedules">
            {rows.map((schedule) => (
              <ScheduleRow key={schedule.id} given={schedule} reload={reload} />
            ))}
          </ul>
          {pager}
        </section>
      )}
    </Screen>
  );
}

const pausers: Readonly<Record<string, string>> = {
  client: 'paused',
  token_revoked: 'paused: its token was revoked',
  token_expired: 'paused: its token has expired',
};

function ScheduleRow({ given, reload }: { given: Schedule; reload: () => void }) {
  const path = `/crawler/schedules/${given.id}`;
  const [areRunsShown, setRunsShown] = useState(false);
  const [areChangesShown, setChangesShown] = useState(search.value.get('schedule') === given.id);
  const { error, run } = useAction();
  const { name, cron, time_zone: zone, job, pausedBy, nextRunAt, lastRunAt, lastJob, lastError, secrets } = given;
  const isPaused = pausedBy !== null;
  const urls = Array.isArray(job['urls']) ? job['urls'].map(String) : [];
  const names = [...secrets.headers, ...secrets.cookies];
  const act = (step: () => Promise<unknown>): void =>
    void run(async () => {
      await step();
      reload();
    });
  const runNow = async (): Promise<void> => {
    const { job: made } = await call<MadeRun>(`${path}/run`, { method: 'POST' });
    if (made) go(`/jobs/${made.id}`);
  };
  return (
    <li>
      <strong>{name}</strong> {isPaused && <span class="tag">{pausers[pausedBy] ?? 'paused'}</span>}
      <p class="muted">
        {urls[0] !== undefined && shortUrl(urls[0])}
        {urls.length > 1 && ` and ${urls.length - 1} more`} · <code>{cron}</code> {zone}
        {names.length > 0 && ` · sends ${names.join(', ')}`}
      </p>
      <p>
        {nextRunAt !== null && (
          <>
            Next run <Time at={nextRunAt} />.{' '}
          </>
        )}
        {lastJob !== null && lastRunAt !== null && <LastRun id={lastJob} at={lastRunAt} />}
      </p>
      {lastError && (
        <p class="note note-warn">
          {lastError.message} <Time at={lastError.at} />
        </p>
      )}
      {error && <ErrorNote error={error} />}
      <div class="row">
        {can('write') && <Button kind="small" label="Run now" click={() => act(runNow)} />}
        {can('write') && (
          <ScheduleDialog
            key={JSON.stringify([name, cron, zone, given.keep, job])}
            label="Edit"
            kind="small"
            question="Changes hold for all later runs. What was found so far stays."
            confirm="Save"
            start={{ name, cron, time_zone: zone, keep: given.keep, job }}
            save={(json) => call(path, { method: 'PATCH', json }).then(reload)}
          />
        )}
        {can('write') && (
          <Button
            kind="small"
            label={isPaused ? 'Resume' : 'Pause'}
            click={() => act(() => call(path, { method: 'PATCH', json: { paused: !isPaused } }))}
          />
        )}
        <Button kind="small" label="Runs" aria-expanded={areRunsShown} click={() => setRunsShown(!areRunsShown)} />
        <Button
          kind="small"
          label="Changed pages"
          aria-expanded={areChangesShown}
          click={() => setChangesShown(!areChangesShown)}
        />
        <LinkButton kind="small" label="As JSON" href={path} target="_blank" />
        {can('write') && (
          <ConfirmButton
            label="Delete"
            kind="small"
            question="Delete this schedule? Its jobs and their results stay."
            confirm="Delete the schedule"
            act={() => call(path, { method: 'DELETE' }).then(reload)}
          />
        )}
      </div>
      {areRunsShown && <Runs path={path} />}
      {areChangesShown && <ScheduleChanges path={path} />}
    </li>
  );
}

/** How the last run stands, and what it found changed. */
function LastRun({ id, at }: { id: string; at: number }) {
  const { value: job } = useGet<Job>(`/crawler/jobs/${id}`, { everyMs: refreshMs });
  return (
    <>
      <a href={`/jobs/${id}`}>Last run</a> <Time at={at} /> {job && <StatusBadge job={job} />}{' '}
      {job?.changes && <a href={`/jobs/${id}/changes`}>{changesText(job.changes)}</a>}
    </>
  );
}

function Runs({ path }: { path: string }) {
  const { value, notice } = useGet<List<Job>>(`${path}/jobs${query({ limit: runsShown })}`, { lines: 3 });
  if (notice || !value) return notice;
  if (value.data.length === 0) return <p class="muted">It has not run yet.</p>;
  return (
    <>
      <ul class="runs" aria-label="Runs">
        {value.data.map((job) => (
          <li key={job.id}>
            <StatusBadge job={job} />
            <a href={`/jobs/${job.id}`}>
              <code>{job.id}</code>
            </a>
            <Time at={job.createdAt} />
          </li>
        ))}
      </ul>
      <p class="muted">
        As JSON:{' '}
        <a href={`${path}/changes`} target="_blank">
          what changed
        </a>
        ,{' '}
        <a href={`${path}/data`} target="_blank">
          all pages
        </a>
        ,{' '}
        <a href={`${path}/meta`} target="_blank">
          their metadata
        </a>
      </p>
    </>
  );
}
