import { useState } from 'preact/hooks';
import type { JobList } from '../api-types.ts';
import { call, can } from '../api.ts';
import { shortUrl } from '../format.ts';
import { Card, Code, Empty, ErrorNote, StatusBadge } from '../parts/basics.tsx';
import { Button } from '../parts/button.tsx';
import { ConfirmButton } from '../parts/controls.tsx';
import { useAction } from '../parts/hooks.ts';
import { useGet } from '../parts/loaded.tsx';
import { Screen } from '../parts/screen.tsx';
import { Time } from '../parts/time.tsx';

interface Key {
  readonly key: string;
  readonly previousKey?: string;
}

export function WebhooksScreen() {
  const { value, notice } = useGet<JobList>('/crawler/jobs?limit=100', { lines: 3 });
  const [key, setKey] = useState<Key>();
  const { error, run } = useAction();
  const load = (path: string, method: 'GET' | 'POST'): Promise<void> =>
    run(async () => setKey(await call(path, { method })));
  const withWebhook = value?.data.filter((job) => Boolean(job.webhook_url));
  return (
    <Screen title="Webhooks" lead="A job with a webhook URL reports its start, its progress and its end there, signed.">
      <Card title="Signing key">
        <p class="muted">Verify every delivery with it, as Standard Webhooks describes.</p>
        {error && <ErrorNote error={error} />}
        {key && <Code label="Signing key" text={key.key} />}
        {key?.previousKey !== undefined && (
          <p class="muted">The previous key also signs for 24 hours after a rotation.</p>
        )}
        {can('write') && (
          <div class="row">
            {!key && <Button label="Show the key" click={() => load('/webhooks/key', 'GET')} />}
            <ConfirmButton
              label="Rotate"
              question="Create a new key? The old one also signs for 24 hours, so that receivers can change over."
              confirm="Rotate the key"
              act={() => load('/webhooks/key/rotate', 'POST')}
            />
          </div>
        )}
      </Card>
      <Card title="Jobs with a webhook">
        {notice}
        {withWebhook?.length === 0 && (
          <Empty
            title="None of the last 100 jobs has one"
            text="Give a job the option `webhook_url`. Its deliveries are then listed with the job, and each can be sent again."
          />
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
      </Card>
    </Screen>
  );
}
