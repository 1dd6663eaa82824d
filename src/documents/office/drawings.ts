// Reads what drawings of Office show: charts (ECMA-376, part 1, 21.2), SmartArt (21.4), text boxes and pictures (20.5).
import { element, htmlText } from '../parts/html-text.ts';
import { Blocks } from '../parts/blocks.ts';
import { readXml } from '../parts/read-xml.ts';

export interface Chart {
  readonly title: string;
  /** Titles of axes. */
  readonly axes: readonly string[];
  readonly series: readonly ChartSeries[];
}

interface ChartSeries {
  name: string;
  /** By index. */
  readonly categories: string[];
  readonly values: string[];
}

const pointsMax = 5_000;
const seriesMax = 100;

export function readChart(xml: Uint8Array): Chart {
  const series: ChartSeries[] = [];
  const axes: string[] = [];
  let title = '';
  /** The text of the open title, and whether it is that of an axis. */
  let said: string | undefined;
  let isOfAxis = false;
  let index = 0;
  let part: 'name' | 'categories' | 'values' | undefined;
  readXml(xml, {
    open(name, attributes) {
      if (name === 'ser' && series.length < seriesMax) series.push({ name: '', categories: [], values: [] });
      else if (name === 'title') said = '';
      else if (name.endsWith('Ax')) isOfAxis = true;
      else if (said === undefined && parts.has(name)) part = parts.get(name);
      else if (name === 'pt') index = Math.trunc(Number(attributes['idx'])) || 0;
    },
    close(name, text) {
      const last = series.at(-1);
      if (name === 'title') {
        const shown = oneLine(said ?? '');
        if (!isOfAxis) title ||= shown;
        else if (shown !== '' && axes.length < 10) axes.push(shown);
        said = undefined;
      } else if (said !== undefined) {
        if (name === 't' || name === 'v') said += text;
        else if (name === 'p') said += ' ';
      } else if (parts.has(name)) part = undefined;
      else if (name === 'v' && last && index >= 0 && index < pointsMax) {
        if (part === 'name') last.name += text;
        else if (part !== undefined) last[part][index] = shownNumber(text);
      }
    },
  });
  return { title, axes, series };
}

const parts: ReadonlyMap<string, 'name' | 'categories' | 'values'> = new Map([
  ['tx', 'name'],
  ['cat', 'categories'],
  ['xVal', 'categories'],
  ['val', 'values'],
  ['yVal', 'values'],
]);

/** As programs show it: 8.2 is stored as 8.200000000000001. */
function shownNumber(value: string): string {
  const number = Number(value);
  return value.trim() === '' || !Number.isFinite(number) ? value : String(Number(number.toPrecision(12)));
}

/** The whole chart: its titles, and a table of its values. */
export function chartHtml(chart: Chart): string {
  const { series } = chart;
  const categories = series.find((one) => one.categories.length > 0)?.categories ?? [];
  const count = series.reduce((most, { values }) => Math.max(most, values.length), categories.length);
  const row = (tag: string, cells: readonly string[]): string =>
    element('tr', cells.map((cell) => element(tag, htmlText(cell))).join(''));
  const head = row('th', ['', ...series.map(({ name }) => name)]);
  const rows = Array.from({ length: count }, (_, at) =>
    row('td', [categories[at] ?? '', ...series.map(({ values }) => values[at] ?? '')]),
  );
  return chartLine(chart, false) + (count === 0 ? '' : element('table', head + rows.join('')));
}

/** Its titles, and the names of its series, whose values a sheet has. */
export function chartLine({ title, axes, series }: Chart, withSeries: boolean): string {
  const names = withSeries ? series.map(({ name }) => name) : [];
  const said = [title, ...axes, ...names].filter((text) => text !== '');
  return said.length === 0 ? '' : element('p', htmlText([...new Set(said)].join(' · ')));
}

interface Point {
  readonly html: string;
  readonly children: { readonly id: string; readonly order: number }[];
}

/** The texts of SmartArt as a list. */
export function diagramHtml(xml: Uint8Array): string {
  const points = new Map<string, Point>();
  const roots: string[] = [];
  let [id, said] = ['', ''];
  const below = new Set<string>();
  readXml(xml, {
    elements: {
      pt: {
        open({ modelId = '', type }) {
          [id, said] = [modelId, ''];
          if (type === 'doc') roots.push(id);
        },
        close: () => points.set(id, { html: htmlText(oneLine(said)), children: [] }),
      },
      t: { close: (text) => (said += text) },
      p: { close: () => (said += ' ') },
      cxn: {
        open({ type = 'parOf', srcId = '', destId = '', srcOrd = '0' }) {
          if (type !== 'parOf') return;
          points.get(srcId)?.children.push({ id: destId, order: Number(srcOrd) || 0 });
          below.add(destId);
        },
      },
    },
  });
  const blocks = new Blocks();
  const seen = new Set<string>();
  const write = (of: string, depth: number): void => {
    const point = points.get(of);
    if (!point || seen.has(of) || depth > 8) return;
    seen.add(of);
    if (point.html !== '') blocks.item('ul', Math.max(depth, 1), point.html);
    for (const child of point.children.toSorted((one, other) => one.order - other.order)) write(child.id, depth + 1);
  };
  for (const root of roots) write(root, 0);
  for (const of of points.keys()) if (!below.has(of)) write(of, 1);
  for (const of of points.keys()) write(of, 1);
  return blocks.end();
}

export interface Drawing {
  /** Texts of text boxes, and descriptions of pictures. */
  readonly html: string;
  /** Ids of the relationships of its charts and diagrams. */
  readonly charts: readonly string[];
  readonly diagrams: readonly string[];
}

/** Reads a drawing of a sheet. */
export function readDrawing(xml: Uint8Array | undefined): Drawing {
  const written: string[] = [];
  const [charts, diagrams]: [string[], string[]] = [[], []];
  let said = '';
  const endParagraph = (): void => {
    if (said.trim() !== '') written.push(element('p', htmlText(said.trim())));
  };
  readXml(xml, {
    leavesOut: (name) => name === 'Fallback',
    elements: {
      p: { open: () => (said = ''), close: endParagraph },
      t: { close: (text) => (said += text) },
      chart: { open: ({ 'r:id': id = '' }) => charts.push(id) },
      relIds: { open: ({ 'r:dm': id = '' }) => diagrams.push(id) },
      cNvPr: { open: ({ descr }) => written.push(descriptionHtml(descr)) },
    },
  });
  return { html: written.join(''), charts, diagrams };
}

/** Programs fill in the name of the file if there is no description. */
export function descriptionHtml(description = ''): string {
  const text = oneLine(description);
  return text === '' || /^\S*\.(?:png|jpe?g|gif|emf|wmf|svg|bmp|tiff?|webp)$/i.test(text)
    ? ''
    : element('p', htmlText(text));
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
