// Fields and their values, as they come from the web: text, never HTML.
export function Metadata({ fields }: { fields: Readonly<Record<string, unknown>> }) {
  return (
    <dl class="facts metadata">
      {Object.entries(fields).map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{Array.isArray(value) ? <List items={value} /> : shownValue(value)}</dd>
        </div>
      ))}
    </dl>
  );
}

function List({ items }: { items: readonly unknown[] }) {
  return (
    <ul>
      {items.map((item, index) => (
        <li key={index}>{shownValue(item)}</li>
      ))}
    </ul>
  );
}

/** Nothing for a value that is missing. */
export function shownValue(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}
