// The tokens of the org: a list, a form for a new one, whose secret is shown once, and their end.
import { useRef, useState } from 'preact/hooks';
import type { Permission, Token } from '../api-types.ts';
import { call, can, session } from '../api.ts';
import { Code, Empty, ErrorNote } from '../parts/basics.tsx';
import { Button } from '../parts/button.tsx';
import { ConfirmButton, Select } from '../parts/controls.tsx';
import { useAction, useNow } from '../parts/hooks.ts';
import { usePaged } from '../parts/loaded.tsx';
import { Screen } from '../parts/screen.tsx';
import { Time } from '../parts/time.tsx';

/** What each permission allows, in the order in which they are offered. */
const abouts: Readonly<Record<Permission, string>> = {
  read: 'read jobs and their pages',
  write: 'create, cancel and delete jobs',
  ignore_robots: 'crawl what robots.txt forbids',
  high_priority: 'create jobs of high priority',
  proxy: 'create jobs that take a proxy of the operator',
  model: 'create jobs that ask the language model',
  metrics: 'read the metrics of the whole service',
  tokens: 'create and revoke tokens',
  operate: 'see the state of the whole service, and back it up',
};
const daySeconds = 24 * 3600;
const lifetimes: readonly (readonly [string, number | null])[] = [
  ['until it is revoked', null],
  ['for a day', daySeconds],
  ['for 30 days', 30 * daySeconds],
  ['for a year', 365 * daySeconds],
];

export function TokensScreen() {
  return (
    <Screen
      title="Tokens"
      lead="A program sends a token with each request. What it may do is decided by the permissions."
    >
      {can('tokens') ? (
        <Manage />
      ) : (
        <Empty title="Your token may not manage tokens">
          <p>
            It needs the permission <code>tokens</code>. Create one that has it on the machine of the service, and sign
            in with that:
          </p>
          <Code
            label="Command that creates a token"
            text={`hayrake token create --permissions read,write,tokens --org ${session.value?.org ?? 'default'}`}
          />
        </Empty>
      )}
    </Screen>
  );
}

function Manage() {
  const { rows, notice, reload, pager, isFirst, toFirst } = usePaged<Token>('/org/tokens', { lines: 4 });
  const revoke = (id: string): Promise<void> => call(`/org/tokens/${id}`, { method: 'DELETE' }).then(reload);
  return (
    <>
      <NewToken onCreated={isFirst ? reload : toFirst} />
      <section class="card" aria-label="Tokens of the org">
        <h2>Tokens</h2>
        {notice}
        {rows?.length === 0 && <p class="muted">There is none. With HAYRAKE_TOKEN none is needed.</p>}
        <ul class="tokens">
          {rows?.map((token) => (
            <TokenRow key={token.id} token={token} revoke={() => revoke(token.id)} />
          ))}
        </ul>
        {pager}
      </section>
    </>
  );
}

function TokenRow({ token, revoke }: { token: Token; revoke: () => Promise<void> }) {
  const now = useNow(30_000);
  const { id, name, org, permissions, createdAt, expiresAt, revokedAt } = token;
  const isOwn = session.value?.token === id;
  const isExpired = expiresAt !== null && expiresAt <= now;
  const isValid = revokedAt === null && !isExpired;
  return (
    <li class={isValid ? '' : 'token-gone'}>
      <div class="token-name">
        <strong>{name === '' ? <span class="muted">without a name</span> : name}</strong>
        {isOwn && <span class="tag">this session</span>}
        {revokedAt !== null && <span class="tag">revoked</span>}
        {revokedAt === null && isExpired && <span class="tag">expired</span>}
        <span class="muted">
          <code>{id}</code> · org {org} · made <Time at={createdAt} />
          {isValid && expiresAt !== null && (
            <>
              {' '}
              · ends <Time at={expiresAt} />
            </>
          )}
        </span>
      </div>
      <span class="token-permissions">{permissions.join(', ')}</span>
      {isValid && (
        <ConfirmButton
          label="Revoke"
          kind="small"
          question={
            isOwn
              ? 'Revoke the token of this session? You are signed out at once, and every program that uses it is refused.'
              : 'Revoke this token? Every program that uses it is refused from now on, and its sessions end. This cannot be undone.'
          }
          confirm="Revoke the token"
          act={revoke}
        />
      )}
    </li>
  );
}

function NewToken({ onCreated }: { onCreated: () => void }) {
  const { isBusy, error, run } = useAction();
  const [created, setCreated] = useState<Token & { readonly token: string }>();
  const [lifetime, setLifetime] = useState<number | null>(null);
  const form = useRef<HTMLFormElement>(null);
  const create = async (): Promise<void> => {
    if (!form.current) return;
    const fields = new FormData(form.current);
    const textOf = (name: string): string => {
      const value = fields.get(name);
      return typeof value === 'string' ? value.trim() : '';
    };
    const org = textOf('org');
    const made = await call<Token & { readonly token: string }>('/org/tokens', {
      json: {
        name: textOf('name'),
        permissions: fields.getAll('permission'),
        expires_in: lifetime,
        ...(org !== '' && { org }),
      },
    });
    setCreated(made);
    form.current.reset();
    setLifetime(null);
    onCreated();
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    void run(create);
  };
  return (
    <form ref={form} class="card form" onSubmit={submit}>
      <h2>New token</h2>
      {created && (
        <div class="note note-warn" role="status">
          <p>
            Copy the token {created.name !== '' && <b>{created.name}</b>} now. It is not shown again, because only its
            hash is stored.
          </p>
          <Code label="The new token" text={created.token} />
          <Button kind="small" label="I have copied it" click={() => setCreated(undefined)} />
        </div>
      )}
      <TokenFields lifetime={lifetime} setLifetime={setLifetime} />
      {error && <ErrorNote error={error} />}
      <div class="row">
        <Button type="submit" kind="primary" label="Create the token" disabled={isBusy} />
      </div>
    </form>
  );
}

function TokenFields(props: { lifetime: number | null; setLifetime: (seconds: number | null) => void }) {
  const isOperator = session.value?.token.startsWith('operator_') === true;
  const granted = (Object.keys(abouts) as Permission[]).filter(can);
  return (
    <>
      <div class="form-grid">
        <label class="field">
          <span>Name</span>
          <input name="name" maxLength={100} placeholder="What it is for" autoComplete="off" />
        </label>
        <label class="field">
          <span>Valid</span>
          <Select options={lifetimes} value={props.lifetime} set={props.setLifetime} />
        </label>
        {isOperator && (
          <div class="field">
            <label htmlFor="token-org">Org</label>
            <input
              id="token-org"
              name="org"
              pattern="[\\w.\\-]{1,64}"
              placeholder={session.value?.org}
              autoComplete="off"
            />
            <small>Its jobs are seen by its own tokens only.</small>
          </div>
        )}
      </div>
      <fieldset class="permissions">
        <legend>Permissions</legend>
        {granted.map((name) => (
          <label key={name}>
            <input type="checkbox" name="permission" value={name} defaultChecked={/^(?:read|write)$/.test(name)} />
            <span>
              <code>{name}</code> <small class="muted">{abouts[name]}</small>
            </span>
          </label>
        ))}
      </fieldset>
    </>
  );
}
