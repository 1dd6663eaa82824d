// A table, told by its columns.
import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  readonly title: ComponentChildren;
  readonly cell: (row: Row) => ComponentChildren;
  /** Of its cells. */
  readonly class?: string;
  /** Its cells name their rows. */
  readonly isName?: boolean;
}

interface TableProps<Row> {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly class?: string;
  readonly label?: string;
  readonly keyOf?: (row: Row) => string | number;
}

export function Table<Row>({ columns, rows, class: kind, label, keyOf }: TableProps<Row>) {
  return (
    <table class={kind} aria-label={label}>
      <thead>
        <tr>
          {columns.map(({ title, class: look }, index) => (
            <th key={index} scope="col" class={look}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, index) => (
          <tr key={keyOf?.(row) ?? index}>
            {columns.map(({ title, cell, class: look, isName = false }, at) => {
              const Cell = isName ? 'th' : 'td';
              return (
                <Cell
                  key={at}
                  class={look}
                  {...(isName ? { scope: 'row' } : typeof title === 'string' && { 'data-name': title })}
                >
                  {cell(row)}
                </Cell>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A table in a frame, which can be scrolled by itself. */
export function BoxedTable<Row>({ class: kind = '', label, ...table }: TableProps<Row> & { readonly label: string }) {
  return (
    <div class={`table-box ${kind}`} tabIndex={0} role="region" aria-label={label}>
      <Table {...table} />
    </div>
  );
}
