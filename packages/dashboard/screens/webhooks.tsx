import { useState } from 'preact/hooks';
import type { JobList } from '../api-types.ts';
import { call, can } from '../api.ts';
import { shortUrl } from '../format.ts';
import { Code, ConfirmButton, Empty, ErrorNote, Skeleton, StatusBadge } from '../parts/basics.tsx';
import { Time } from '../parts/time.tsx';
import { useAction, useLoaded, useTitle } from '../parts/hooks.ts';

interface Key {
  readonly key: string;
  readonly previousKey?: string;
}

export function WebhooksScreen() {
  const jobs = useLoaded('jobs', (signal) => call<JobList>('/crawler/jobs?limit=100', { signal }));
  const [key, setKey] = useState<Key>();
  const { error, run } = useAction();
  useTitle('Webhooks');
  const load = (path: string, method: 'GET' | 'POST'): Promise<void> =>
    run(async () => setKey(await call(path, { method })));
  const withWebhook = jobs.value?.data.filter((job) => Boolean(job.webhook_url));
  return (
    <div class="page">
      <h1>Webhooks</h1>
      <p class="lead">A job with a webhook URL reports its start, its progress and its end there, signed.</p>
      <section class="card">
        <h2>Signing key</h2>
        <p class="muted">Verify every delivery with it, as Standard Webhooks describes.</p>
        {error && <ErrorNote error={error} />}
        {key ? (
          <>
            <Code label="Signing key" text={key.key} />
            {key.previousKey !== undefined && (
              <p class="muted">The previous key also signs for 24 hours after a rotation.</p>
            )}
          </>
        ) : null}
        {can('write') && (
          <div class="actions">
            {!key && (
              <button type="button" class="button" onClick={() => void load('/webhooks/key', 'GET')}>
                Show the key
              </button>
            )}
            <ConfirmButton
              label="Rotate"
              question="Create a new key? The old one also signs for 24 hours, so that receivers can change over."
              confirm="Rotate the key"
              act={() => load('/webhooks/key/rotate', 'POST')}
            />
          </div>
        )}
      </section>
      <section class="card">
        <h2>Jobs with a webhook</h2>
        {jobs.error && <ErrorNote error={jobs.error} retry={jobs.reload} />}
        {!withWebhook && !jobs.error && <Skeleton lines={3} />}
        {withWebhook?.length === 0 && (
          <Empty title="None of the last 100 jobs has one">
            <p>
              Give a job the option <code>webhook_url</code>. Its deliveries are then listed with the job, and each can
              be sent again.
            </p>
          </Empty>
        )}
        <ul class="plain-list">
          {withWebhook?.map((job) => (
            <li key={job.id}>
              <a href={`/jobs/${job.id}/webhooks`}>{shortUrl(job.urls[0] ?? job.id)}</a>
              <StatusBadge job={job} />
              <span class="muted">{job.webhook_url}</span>
              <span class="muted">
                <Time at={job.createdAt} />
              </span>
            </li>
          ))}
        </ul>
      </section>
    </div>
  );
}
