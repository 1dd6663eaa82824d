import { expect, test } from 'vitest';
import { Metrics } from './metrics.ts';

test('Metrics: writes counters, gauges and histograms in the text format of Prometheus', async () => {
  const metrics = new Metrics();
  const counter = metrics.counter('requests_total', 'Requests.');
  counter.add({ route: '/a', status: '2xx' });
  counter.add({ route: '/a', status: '2xx' }, 2);
  counter.add();
  metrics.gauge('size', 'Size.', async () => 4.5);
  metrics.gauge('jobs', 'Jobs.', () => [[{ status: 'running' }, 3]]);
  const histogram = metrics.histogram('seconds', 'Seconds.', [0.1, 1]);
  for (const value of [0.1, 0.5, 7]) histogram.observe(value, { route: '/a' });
  expect(await metrics.text()).toBe(
    [
      '# HELP requests_total Requests.',
      '# TYPE requests_total counter',
      'requests_total{route="/a",status="2xx"} 3',
      'requests_total 1',
      '# HELP size Size.',
      '# TYPE size gauge',
      'size 4.5',
      '# HELP jobs Jobs.',
      '# TYPE jobs gauge',
      'jobs{status="running"} 3',
      '# HELP seconds Seconds.',
      '# TYPE seconds histogram',
      'seconds_bucket{route="/a",le="0.1"} 1',
      'seconds_bucket{route="/a",le="1"} 2',
      'seconds_bucket{route="/a",le="+Inf"} 3',
      'seconds_sum{route="/a"} 7.6',
      'seconds_count{route="/a"} 3',
      '',
    ].join('\n'),
  );
});

test('Metrics: escapes the values of labels', async () => {
  const metrics = new Metrics();
  metrics.counter('a_total', 'A.').add({ b: 'say "x"\\\n' });
  expect(await metrics.text()).toContain(String.raw`a_total{b="say \"x\"\\\n"} 1`);
});

test('Metrics: keeps at most a thousand combinations of labels', async () => {
  const metrics = new Metrics();
  const counter = metrics.counter('a_total', 'A.');
  for (let index = 0; index < 5_000; index++) counter.add({ b: String(index) });
  const text = await metrics.text();
  expect(text.split('\n').length).toBeLessThan(1_010);
  expect(text).toContain('a_total 4000\n');
});

test('Metrics: contains a counter and a histogram with 0 before their first event', async () => {
  const metrics = new Metrics();
  metrics.counter('a_total', 'A.').startAtZero([{ kind: 'x' }, { kind: 'y' }]);
  metrics.histogram('b_seconds', 'B.', [1]).startAtZero();
  const text = await metrics.text();
  for (const line of ['a_total{kind="x"} 0', 'a_total{kind="y"} 0', 'b_seconds_bucket{le="1"} 0', 'b_seconds_count 0'])
    expect(text).toContain(`${line}\n`);
});
