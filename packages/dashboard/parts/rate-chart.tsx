// Pages per second and the queue over time. The library is loaded with the first chart.
import type uPlot from 'uplot';
import { useEffect, useRef } from 'preact/hooks';
import { isDark } from '../theme.ts';

/** Columns of equal length: seconds since the epoch, pages per second, queued URLs. */
export type Series = readonly [readonly number[], readonly number[], readonly number[]];

const height = 180;
/** Of a time on the axis, with a gap, in pixels. */
const timeWidth = 80;
/** Seconds between two times on the axis, so that none is there twice. */
const wholeSeconds = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 7200, 21_600, 43_200, 86_400, 172_800, 604_800,
];

export function RateChart({ series }: { series: Series }) {
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(undefined);
  const latest = useRef(series);
  latest.current = series;
  useEffect(() => {
    let isGone = false;
    let watch: ResizeObserver | undefined;
    void import('uplot').then(({ default: Plot }) => {
      const at = place.current;
      if (isGone || !at) return;
      chart.current = new Plot(options(at.clientWidth), data(latest.current), at);
      watch = new ResizeObserver(() => chart.current?.setSize({ width: at.clientWidth, height }));
      watch.observe(at);
    });
    return () => {
      isGone = true;
      watch?.disconnect();
      chart.current?.destroy();
      chart.current = undefined;
    };
  }, [isDark.value]);
  useEffect(() => chart.current?.setData(data(series)), [series]);
  const [, rates] = series;
  const last = rates.at(-1) ?? 0;
  return (
    <figure class="chart">
      <figcaption class="tiny muted">
        <span class="key key-rate">Pages per second, mean of 10 s</span>
        <span class="key key-queue">Queued URLs</span>
      </figcaption>
      <div
        ref={place}
        class="chart-body"
        role="img"
        aria-label={`Pages per second over time, ${last.toFixed(1)} at last`}
      />
    </figure>
  );
}

function data([times, rates, queue]: Series): uPlot.AlignedData {
  return [[...times], [...rates], [...queue]];
}

function options(width: number): uPlot.Options {
  const dark = isDark.value;
  const [text, grid] = dark ? ['#a89f91', '#2e2a24'] : ['#6b6257', '#ece5d9'];
  const [rate, queue] = dark ? ['#f0a04b', '#7fb2e5'] : ['#b45309', '#2b6cb0'];
  const axis = {
    stroke: text,
    grid: { stroke: grid, width: 1 },
    ticks: { show: false },
    font: '11px system-ui, sans-serif',
  };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { y: false, points: { size: 6 } },
    scales: {
      x: { time: true },
      rate: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] },
      queue: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] },
    },
    axes: [
      { ...axis, space: timeWidth, incrs: wholeSeconds, values: (_, splits) => splits.map((at) => timeOf(at, splits)) },
      { ...axis, scale: 'rate', size: 52, values: (_, splits) => splits.map((each) => `${each}/s`) },
      { ...axis, scale: 'queue', side: 1, size: 52, grid: { show: false } },
    ],
    series: [
      {},
      { scale: 'rate', stroke: rate, width: 2, fill: `${rate}22`, points: { show: false } },
      { scale: 'queue', stroke: queue, width: 1.5, dash: [4, 3], points: { show: false } },
    ],
  };
}

const clock = new Intl.DateTimeFormat('en', { timeStyle: 'medium', hour12: false });
const day = new Intl.DateTimeFormat('en', { month: 'short', day: 'numeric', hour: 'numeric', hour12: false });
const dayS = 24 * 3600;

/** A time on the axis, as short as the whole axis allows. */
function timeOf(at: number, splits: readonly number[]): string {
  const isLong = (splits.at(-1) ?? 0) - (splits[0] ?? 0) > dayS;
  return (isLong ? day : clock).format(at * 1000);
}
