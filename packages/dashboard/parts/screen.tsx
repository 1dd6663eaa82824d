// A screen of its own, with its title.
import type { ComponentChildren } from 'preact';
import { useTitle } from './hooks.ts';

export function Screen(props: { title: string; lead?: string; children: ComponentChildren }) {
  useTitle(props.title);
  return (
    <div class="page">
      <h1>{props.title}</h1>
      {props.lead !== undefined && <p class="lead muted">{props.lead}</p>}
      {props.children}
    </div>
  );
}
