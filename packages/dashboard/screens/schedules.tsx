// The schedules of the org: when each runs next, how it ran, and what can be done with it.
import { useState } from 'preact/hooks';
import type { Job, List, MadeRun, Schedule } from '../api-types.ts';
import { call, can, query } from '../api.ts';
import { shortUrl } from '../format.ts';
import { ConfirmButton, Empty, ErrorNote, Skeleton, StatusBadge } from '../parts/basics.tsx';
import { useAction, useInterval, useLoaded, useTitle } from '../parts/hooks.ts';
import { Time } from '../parts/time.tsx';
import { go, search } from '../router.ts';
import { ScheduleChanges } from './schedule-changes.tsx';

const runsShown = 20;
const refreshMs = 10_000;

export function SchedulesScreen() {
  const [pages, setPages] = useState<readonly string[]>([]);
  const last = pages.at(-1);
  const { value, error, reload } = useLoaded(`schedules ${last ?? ''}`, (signal) =>
    call<List<Schedule>>(`/crawler/schedules${query({ limit: 50, cursor: last })}`, { signal }),
  );
  useTitle('Schedules');
  useInterval(reload, refreshMs);
  return (
    <div class="page">
      <h1>Schedules</h1>
      <p class="lead">
        A schedule makes a job of the same request at certain times. To make one, open a job and choose Schedule.
      </p>
      {error && <ErrorNote error={error} retry={reload} />}
      {!value && !error && <Skeleton lines={6} />}
      {value?.data.length === 0 && pages.length === 0 && (
        <Empty title="There is no schedule">
          <p>
            Open a job and choose Schedule, or <code>POST /crawler/schedules</code>.
          </p>
        </Empty>
      )}
      {value && value.data.length > 0 && (
        <section class="card" aria-label="Schedules of the org">
          <ul class="schedules">
            {value.data.map((schedule) => (
              <ScheduleRow key={schedule.id} given={schedule} reload={reload} />
            ))}
          </ul>
          {(value.cursor !== undefined || pages.length > 0) && (
            <div class="actions">
              <button
                type="button"
                class="button"
                disabled={pages.length === 0}
                onClick={() => setPages(pages.slice(0, -1))}
              >
                Newer
              </button>
              <button
                type="button"
                class="button"
                disabled={value.cursor === undefined}
                onClick={() => value.cursor !== undefined && setPages([...pages, value.cursor])}
              >
                Older
              </button>
            </div>
          )}
        </section>
      )}
    </div>
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
      <strong>{name}</strong> {pausedBy !== null && <span class="tag">{pausers[pausedBy] ?? 'paused'}</span>}
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
        {lastJob !== null && lastRunAt !== null && (
          <>
            <a href={`/jobs/${lastJob}`}>Last run</a> <Time at={lastRunAt} />.
          </>
        )}
      </p>
      {lastError && (
        <p class="note note-warn">
          {lastError.message} <Time at={lastError.at} />
        </p>
      )}
      {error && <ErrorNote error={error} />}
      <div class="actions">
        {can('write') && (
          <>
            <button type="button" class="button button-small" onClick={() => act(runNow)}>
              Run now
            </button>
            <button
              type="button"
              class="button button-small"
              onClick={() => act(() => call(path, { method: 'PATCH', json: { paused: pausedBy === null } }))}
            >
              {pausedBy === null ? 'Pause' : 'Resume'}
            </button>
          </>
        )}
        <button
          type="button"
          class="button button-small"
          aria-expanded={areRunsShown}
          onClick={() => setRunsShown(!areRunsShown)}
        >
          Runs
        </button>
        <button
          type="button"
          class="button button-small"
          aria-expanded={areChangesShown}
          onClick={() => setChangesShown(!areChangesShown)}
        >
          Changed pages
        </button>
        <a class="button button-small" href={path} target="_blank">
          As JSON
        </a>
        {can('write') && (
          <ConfirmButton
            label="Delete"
            class="button-small"
            question="Delete this schedule? Its jobs and their results stay."
            confirm="Delete the schedule"
            act={async () => {
              await call(path, { method: 'DELETE' });
              reload();
            }}
          />
        )}
      </div>
      {areRunsShown && <Runs path={path} />}
      {areChangesShown && <ScheduleChanges id={given.id} />}
    </li>
  );
}

function Runs({ path }: { path: string }) {
  const { value, error, reload } = useLoaded(path, (signal) =>
    call<List<Job>>(`${path}/jobs${query({ limit: runsShown })}`, { signal }),
  );
  if (error) return <ErrorNote error={error} retry={reload} />;
  if (!value) return <Skeleton lines={3} />;
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
