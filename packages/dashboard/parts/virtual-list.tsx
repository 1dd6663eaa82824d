// A list of any length of which only the rows in view exist. Rows have one height.
import type { ComponentChildren } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';

export interface VirtualListProps {
  readonly count: number;
  readonly rowHeight: number;
  readonly label: string;
  /** Index of the selected row. */
  readonly selected: number | undefined;
  readonly onSelect: (index: number) => void;
  /** The content of a row. */
  readonly row: (index: number) => ComponentChildren;
  /** Called with the first and the last row in view. */
  readonly onRange: (first: number, last: number) => void;
}

/** Browsers cut heights beyond 17 to 33 million pixels: longer lists are scrolled in proportion. */
const heightMax = 16_000_000;
const overscan = 6;

export function VirtualList({ count, rowHeight, label, selected, onSelect, row, onRange }: VirtualListProps) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const whole = count * rowHeight;
  const shown = Math.min(whole, heightMax);
  // The position in the whole list of a position of the scroll bar.
  const ratio = shown <= view.height ? 1 : Math.max(1, (whole - view.height) / (shown - view.height));
  const offset = view.top * ratio;
  const first = Math.max(0, Math.floor(offset / rowHeight) - overscan);
  const last = Math.min(count - 1, Math.ceil((offset + view.height) / rowHeight) + overscan);

  useLayoutEffect(() => {
    const at = box.current;
    if (!at) return undefined;
    const look = (): void => setView({ top: at.scrollTop, height: at.clientHeight });
    look();
    at.addEventListener('scroll', look, { passive: true });
    const watch = new ResizeObserver(look);
    watch.observe(at);
    return () => {
      at.removeEventListener('scroll', look);
      watch.disconnect();
    };
  }, []);
  useEffect(() => onRange(first, last), [first, last, count]);
  useLayoutEffect(() => {
    const at = box.current;
    if (!at || selected === undefined) return;
    const start = selected * rowHeight;
    const from = at.scrollTop * ratio;
    if (start < from) at.scrollTop = start / ratio;
    else if (start + rowHeight > from + at.clientHeight) at.scrollTop = (start + rowHeight - at.clientHeight) / ratio;
  }, [selected]);

  const move = (index: number): void => onSelect(Math.min(count - 1, Math.max(0, index)));
  const perView = Math.max(1, Math.floor(view.height / rowHeight) - 1);
  const keys: Readonly<Record<string, () => void>> = {
    ArrowDown: () => move((selected ?? -1) + 1),
    ArrowUp: () => move((selected ?? 1) - 1),
    j: () => move((selected ?? -1) + 1),
    k: () => move((selected ?? 1) - 1),
    PageDown: () => move((selected ?? 0) + perView),
    PageUp: () => move((selected ?? 0) - perView),
    Home: () => move(0),
    End: () => move(count - 1),
  };
  const onKey = (event: KeyboardEvent): void => {
    const run = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (!run || count === 0) return;
    event.preventDefault();
    run();
  };
  const indexes = Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);
  return (
    <div
      ref={box}
      class="virtual"
      role="listbox"
      tabIndex={0}
      aria-label={label}
      aria-activedescendant={
        selected !== undefined && selected >= first && selected <= last ? `row-${selected}` : undefined
      }
      onKeyDown={onKey}
    >
      <div class="virtual-height" style={{ height: `${shown}px` }}>
        {indexes.map((index) => (
          <div
            key={index}
            id={`row-${index}`}
            class="virtual-row"
            role="option"
            aria-selected={index === selected}
            aria-posinset={index + 1}
            aria-setsize={count}
            style={{ height: `${rowHeight}px`, transform: `translateY(${view.top + index * rowHeight - offset}px)` }}
            onClick={() => onSelect(index)}
          >
            {row(index)}
          </div>
        ))}
      </div>
    </div>
  );
}
