// The address of the page as a signal. Links to screens change it without a request.
import { computed, signal } from '@preact/signals';

const current = signal(new URL(location.href));

export const path = computed(() => current.value.pathname);
export const search = computed(() => current.value.searchParams);
/** What follows `#`. No server sees it, so it can be long. */
export const fragment = computed(() => new URLSearchParams(current.value.hash.slice(1)));

/** Screens; every other path belongs to the API. */
const screens = /^\/(?:$|new$|jobs\/|schedules$|hosts$|webhooks$|tokens$|system$)/;

export function go(target: string, { replace = false } = {}): void {
  const url = new URL(target, location.href);
  if (url.href === location.href) return;
  if (replace) history.replaceState(null, '', url);
  else history.pushState(null, '', url);
  const samePage = url.pathname === current.value.pathname;
  current.value = url;
  if (!samePage) scrollTo(0, 0);
}

/** Changes parameters of this address; `undefined` and empty remove one. */
export function setSearch(fields: Readonly<Record<string, string | undefined>>, { replace = true } = {}): void {
  const url = new URL(current.value);
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || value === '') url.searchParams.delete(name);
    else url.searchParams.set(name, value);
  }
  go(url.href, { replace });
}

export function startRouter(): void {
  addEventListener('popstate', () => (current.value = new URL(location.href)));
  document.addEventListener('click', (event) => {
    if (
      event.defaultPrevented ||
      event.button !== 0 ||
      event.metaKey ||
      event.ctrlKey ||
      event.shiftKey ||
      event.altKey
    )
      return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link || link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin) return;
    if (!screens.test(link.pathname)) return;
    event.preventDefault();
    go(link.href);
  });
}
