// Metrics for Prometheus, in its text format (https://prometheus.io/docs/instrumenting/exposition_formats/): counters,
// gauges and histograms. Counting is an addition in a map; the text is made on each scrape.
import { ExitError } from '../core/errors.ts';

/** Names with their values. Values must come from short lists: each combination is kept for good. */
export type Labels = Readonly<Record<string, string>>;

/** Label combinations of one metric. More would be a defect, and are counted together without labels. */
const seriesMax = 1_000;

interface Metric {
  /** Lines of the text, without the HELP and TYPE lines. */
  lines(): Promise<string[]>;
}

export class Metrics {
  readonly #parts: (() => Promise<string[]>)[] = [];

  counter(name: string, help: string): Counter {
    return this.#add(name, 'counter', help, new Counter(name));
  }

  /** `bounds` rise, in the unit of the name. */
  histogram(name: string, help: string, bounds: readonly number[]): Histogram {
    return this.#add(name, 'histogram', help, new Histogram(name, bounds));
  }

  /** Read on each scrape: one number, or several with their labels; none while the store cannot be read. */
  gauge(name: string, help: string, read: () => GaugeValue | Promise<GaugeValue>): void {
    this.#add(name, 'gauge', help, {
      lines: async () => {
        const value = await readable(read);
        const series: readonly (readonly [Labels, number])[] = typeof value === 'number' ? [[{}, value]] : value;
        return series.map(([labels, number]) => line(name, textOf(labels), number));
      },
    });
  }

  /** A counter that is kept elsewhere, read on each scrape. */
  total(name: string, help: string, read: () => number): void {
    this.#add(name, 'counter', help, { lines: async () => [line(name, '', read())] });
  }

  async text(): Promise<string> {
    const parts = await Promise.all(this.#parts.map((part) => part()));
    return `${parts.flat().join('\n')}\n`;
  }

  #add<Kind extends Metric>(name: string, type: string, help: string, metric: Kind): Kind {
    this.#parts.push(async () => [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...(await metric.lines())]);
    return metric;
  }
}

/** The process's own figures matter most while its database is down. */
async function readable(read: () => GaugeValue | Promise<GaugeValue>): Promise<GaugeValue> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ExitError) return [];
    throw error;
  }
}

/** Values of a gauge, by what its label says. */
export function labelled(label: string, values: Readonly<Record<string, number>>): GaugeValue {
  return Object.entries(values).map(([value, number]) => [{ [label]: value }, number] as const);
}

export type GaugeValue = number | readonly (readonly [Labels, number])[];

export class Counter implements Metric {
  readonly #name: string;
  readonly #values = new Map<string, number>();

  constructor(name: string) {
    this.#name = name;
  }

  add(labels: Labels = {}, by = 1): void {
    const key = keyIn(this.#values, labels);
    this.#values.set(key, (this.#values.get(key) ?? 0) + by);
  }

  /**
   * Shows 0 before the first event, so that the first one is an increase: Prometheus cannot see an increase from
   * nothing.
   */
  startAtZero(all: readonly Labels[] = [{}]): this {
    for (const labels of all) this.add(labels, 0);
    return this;
  }

  async lines(): Promise<string[]> {
    return [...this.#values].map(([labels, value]) => line(this.#name, labels, value));
  }
}

interface Distribution {
  /** Values in each bucket, not cumulative; the last count is for values above all bounds. */
  readonly counts: number[];
  sum: number;
}

export class Histogram implements Metric {
  readonly #name: string;
  readonly #bounds: readonly number[];
  readonly #values = new Map<string, Distribution>();

  constructor(name: string, bounds: readonly number[]) {
    this.#name = name;
    this.#bounds = bounds;
  }

  /** See {@link Counter.startAtZero}. */
  startAtZero(): this {
    this.#distributionOf({});
    return this;
  }

  observe(value: number, labels: Labels = {}): void {
    const distribution = this.#distributionOf(labels);
    const bucket = this.#bounds.findIndex((bound) => value <= bound);
    const index = bucket === -1 ? this.#bounds.length : bucket;
    distribution.counts[index] = (distribution.counts[index] ?? 0) + 1;
    distribution.sum += value;
  }

  #distributionOf(labels: Labels): Distribution {
    const key = keyIn(this.#values, labels);
    let distribution = this.#values.get(key);
    if (!distribution) {
      distribution = { counts: Array.from({ length: this.#bounds.length + 1 }, () => 0), sum: 0 };
      this.#values.set(key, distribution);
    }
    return distribution;
  }

  async lines(): Promise<string[]> {
    const lines: string[] = [];
    for (const [labels, { counts, sum }] of this.#values) {
      let total = 0;
      for (const [index, count] of counts.entries()) {
        total += count;
        const bound = `le="${this.#bounds[index] ?? '+Inf'}"`;
        lines.push(line(`${this.#name}_bucket`, labels === '' ? bound : `${labels},${bound}`, total));
      }
      lines.push(line(`${this.#name}_sum`, labels, sum), line(`${this.#name}_count`, labels, total));
    }
    return lines;
  }
}

function keyIn(values: ReadonlyMap<string, unknown>, labels: Labels): string {
  const key = textOf(labels);
  return values.size >= seriesMax && !values.has(key) ? '' : key;
}

function textOf(labels: Labels): string {
  let text = '';
  for (const name of Object.keys(labels)) text += `${text === '' ? '' : ','}${name}="${escaped(labels[name] ?? '')}"`;
  return text;
}

function escaped(value: string): string {
  if (!/[\\"\n]/.test(value)) return value;
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function line(name: string, labels: string, value: number): string {
  return `${name}${labels === '' ? '' : `{${labels}}`} ${value}`;
}
