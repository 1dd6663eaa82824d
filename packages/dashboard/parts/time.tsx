// Times: relative; a click shows all of them in local time, the next in UTC.
import { signal } from '@preact/signals';
import { exactTime, relativeTime, utcTime } from '../format.ts';
import { useNow } from './hooks.ts';

const forms = ['relative', 'local', 'utc'] as const;
const form = signal<(typeof forms)[number]>('relative');

export function Time({ at }: { at: number }) {
  const now = useNow(10_000);
  const text = { relative: relativeTime, local: exactTime, utc: utcTime }[form.value](at, now);
  const next = (): void => void (form.value = forms[(forms.indexOf(form.value) + 1) % forms.length] ?? 'relative');
  return (
    <button type="button" class="time" title={`${exactTime(at)} here, ${utcTime(at)}`} onClick={next}>
      <time dateTime={new Date(at).toISOString()}>{text}</time>
    </button>
  );
}
