// A button that opens a panel below it. A click elsewhere, Escape, or a choice closes it.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

interface MenuProps {
  readonly label: ComponentChildren;
  /** The label in words, if it is none. */
  readonly name?: string;
  readonly class?: string;
  readonly children: ComponentChildren;
}

export function Menu({ label, name, class: kind = '', children }: MenuProps) {
  const box = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const onClick = ({ target }: Event): void => {
      const isInside = target instanceof Element && box.current?.contains(target) === true;
      if (box.current?.open === true && (!isInside || target.closest('a') !== null)) box.current.open = false;
    };
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key !== 'Escape' || box.current?.open !== true) return;
      box.current.open = false;
      box.current.querySelector('summary')?.focus();
    };
    document.addEventListener('click', onClick);
    document.addEventListener('keydown', onKey);
    return () => {
      document.removeEventListener('click', onClick);
      document.removeEventListener('keydown', onKey);
    };
  }, []);
  return (
    <details ref={box} class="menu">
      <summary class={`button ${kind}`} aria-label={name}>
        {label}
        <svg viewBox="0 0 12 12" width="10" height="10" aria-hidden="true">
          <path d="M2 4l4 4 4-4" />
        </svg>
      </summary>
      <div class="menu-body">{children}</div>
    </details>
  );
}
