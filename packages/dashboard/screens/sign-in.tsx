import { useEffect, useRef } from 'preact/hooks';
import { signIn } from '../api.ts';
import { Code, ErrorNote, Logo } from '../parts/basics.tsx';
import { Button } from '../parts/button.tsx';
import { useAction } from '../parts/hooks.ts';
import { go, path } from '../router.ts';

export function SignIn() {
  const { isBusy, error, run } = useAction();
  const field = useRef<HTMLInputElement>(null);
  const wasRefused = path.value === '/login';
  useEffect(() => {
    document.title = 'Sign in · hayrake';
    field.current?.focus();
  }, []);
  useEffect(() => {
    if (error) field.current?.select();
  }, [error]);
  const submit = (event: Event): void => {
    event.preventDefault();
    void run(async () => {
      await signIn(field.current?.value.trim() ?? '');
      if (wasRefused) go('/', { replace: true });
    });
  };
  return (
    <main class="center">
      <form class="card stack sign-in" onSubmit={submit}>
        <h1>
          <Logo size={32} />
          hayrake
        </h1>
        {wasRefused && (
          <div class="note note-warn" role="status">
            <p>This login link is wrong, was used before, or has expired. Restart the service for a new one, or:</p>
          </div>
        )}
        <label class="field">
          <span>API token</span>
          <input ref={field} type="password" name="token" required autoComplete="current-password" spellcheck={false} />
          <small>
            It is exchanged for a cookie that scripts cannot read, and is not kept in this browser. The session ends 12
            hours after the last request.
          </small>
        </label>
        {error && <ErrorNote error={error} />}
        <Button type="submit" kind="primary" label="Sign in" disabled={isBusy} />
        <details>
          <summary class="muted">Where is a token?</summary>
          <p>
            <code>hayrake serve</code> printed one at its first start, and prints a link at every start that signs in
            without one. To create another token:
          </p>
          <Code label="Command that creates a token" text="hayrake token create" />
        </details>
      </form>
    </main>
  );
}
