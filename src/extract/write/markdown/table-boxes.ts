/** Recognizes tables made of `<div>`: those with table roles for screen readers, and javadoc summaries. */
import type { ChildNode, Element } from 'domhandler';
import { isTag } from 'domhandler';
import type { Row } from './table-grid.ts';

/** Returns undefined if the box is not a table. */
export function rowsOfBoxes(box: Element, skipped: ReadonlySet<ChildNode>): readonly Row[] | undefined {
  const { role, class: classes } = box.attribs;
  if (role === 'table' || role === 'grid') {
    const rows = rowsByRole(box, skipped);
    return rows.length > 1 && rows.every(({ cells }) => cells.length > 0) ? rows : undefined;
  }
  const columns =
    classes?.includes('-column-') === true ? columnCounts[columnClass.exec(classes)?.[1] ?? ''] : undefined;
  return columns === undefined ? undefined : rowsByCount(box, columns, skipped);
}

const columnClass = /(?:^|\s)(two|three|four)-column-(?:summary|release-notes)(?:\s|$)/;
const columnCounts: Readonly<Record<string, number>> = { two: 2, three: 3, four: 4 };

function rowsByRole(box: Element, skipped: ReadonlySet<ChildNode>): readonly Row[] {
  const rows: Row[] = [];
  const visit = (nodes: readonly ChildNode[]): void => {
    for (const node of nodes) {
      if (!isTag(node) || skipped.has(node)) continue;
      if (node.attribs['role'] !== 'row') visit(node.children);
      else {
        const cells = node.children.filter((cell) => isTag(cell) && cellRoles.has(cell.attribs['role'] ?? ''));
        rows.push(
          rowOf(
            cells.filter((cell) => isTag(cell)),
            (cell) => cell.attribs['role'] === 'columnheader',
          ),
        );
      }
    }
  };
  visit(box.children);
  return rows;
}

const cellRoles: ReadonlySet<string> = new Set(['cell', 'gridcell', 'columnheader', 'rowheader']);

/** Each child is a cell; the style sheet breaks the rows. */
function rowsByCount(box: Element, columns: number, skipped: ReadonlySet<ChildNode>): readonly Row[] | undefined {
  const cells = box.children.filter((child) => isTag(child) && !skipped.has(child)).filter((child) => isTag(child));
  if (cells.length < columns * 2 || cells.length % columns !== 0) return undefined;
  const rows: Row[] = [];
  for (let at = 0; at < cells.length; at += columns)
    rows.push(
      rowOf(cells.slice(at, at + columns), ({ attribs }) => attribs['class']?.includes('table-header') === true),
    );
  return rows;
}

function rowOf(cells: readonly Element[], isHeader: (cell: Element) => boolean): Row {
  return { cells, isHead: cells.length > 0 && cells.every((cell) => isHeader(cell)) };
}
