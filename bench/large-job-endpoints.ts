// How long each endpoint takes on one job: an API of its own on the same database, asked over HTTP.
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from './corpus.ts';

const rounds = 9;

/** As a table in Markdown: the median and the slowest of some requests. */
export async function timeEndpoints(place: string, id: string): Promise<string> {
  const token = randomBytes(24).toString('hex');
  const port = await freePort();
  const database = place.startsWith('postgres://') ? { HAYRAKE_DATABASE_URL: place } : { HAYRAKE_DATA: place };
  const child = spawn(process.execPath, [fileURLToPath(new URL('../src/main.ts', import.meta.url)), 'api'], {
    env: { ...process.env, ...database, HAYRAKE_TOKEN: token, HAYRAKE_PORT: String(port), HAYRAKE_LOG_LEVEL: 'warn' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = once(child, 'exit');
  const origin = `http://127.0.0.1:${port}`;
  const headers = { authorization: `Bearer ${token}` };
  try {
    while (!(await fetch(`${origin}/readyz`).catch(() => undefined))?.ok) {
      if (child.exitCode !== null) throw new Error(`the API ended with ${child.exitCode}`);
      await sleep(50);
    }
    const job = `/crawler/jobs/${id}`;
    const { progress } = (await (await fetch(origin + job, { headers })).json()) as { progress: { scraped: number } };
    const middle = Math.floor(progress.scraped / 2);
    const end = Math.max(0, progress.scraped - 401);
    const paths = [
      job,
      '/crawler/jobs',
      `${job}/data?wait=0`,
      `${job}/data?wait=0&after=${middle}`,
      `${job}/data?wait=0&after=${end}`,
      `${job}/meta?wait=0`,
      `${job}/meta?wait=0&after=${middle}`,
      `${job}/urls`,
      `${job}/urls?status=queued`,
      `${job}/urls?status=scraped`,
      `${job}/urls?status=discarded`,
      `${job}/urls?status=failed`,
      `${job}/urls?reason=http_404`,
      '/metrics',
      '/readyz',
    ];
    const lines = [];
    for (const path of paths) lines.push(await timed(path));
    return ['| request | status | median ms | slowest ms |', '|---|--:|--:|--:|', ...lines, ''].join('\n');
  } finally {
    child.kill('SIGTERM');
    await ended;
  }

  async function timed(path: string): Promise<string> {
    const times: number[] = [];
    let status = 0;
    for (let round = 0; round < rounds; round++) {
      const startedAt = performance.now();
      const answer = await fetch(origin + path, { headers });
      await answer.arrayBuffer();
      times.push(performance.now() - startedAt);
      ({ status } = answer);
    }
    const sorted = times.toSorted((one, other) => one - other);
    const shown = path.replace(id, '{id}');
    return `| \`${shown}\` | ${status} | ${sorted[Math.floor(rounds / 2)]?.toFixed(1)} | ${sorted.at(-1)?.toFixed(1)} |`;
  }
}
