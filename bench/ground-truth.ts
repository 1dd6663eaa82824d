// Which pages of a corpus can be reached, so that a crawler that stops early is not taken for a fast one.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { serveCorpus } from './corpus.ts';
import { walk } from './walk.ts';

/**
 * Paths of the HTML pages that `walk.ts` reaches. A walk takes up to some minutes, so its outcome is kept in the system's
 * temporary directory, by the version of the corpus and of the walk.
 */
export async function reachablePages(corpus: string): Promise<ReadonlySet<string>> {
  const folder = path.join(tmpdir(), `hayrake-ground-truth-${userInfo().username}`);
  const file = path.join(folder, `${corpus}-${versionOf(corpus)}.txt`);
  if (!existsSync(file)) {
    console.error(`${corpus}: walking the site once, to know its pages`);
    const pages = await walkPages(corpus);
    mkdirSync(folder, { recursive: true });
    // Whole or not at all.
    writeFileSync(`${file}.${process.pid}`, pages.join('\n'));
    renameSync(`${file}.${process.pid}`, file);
  }
  return new Set(readFileSync(file, 'utf8').split('\n'));
}

async function walkPages(corpus: string): Promise<string[]> {
  const server = await serveCorpus(corpus);
  try {
    const reached = [...(await walk(server.contentsUrl)).values()];
    const pages = reached.filter(({ kind }) => kind === 'page');
    return [...new Set(pages.map(({ requests }) => requests.at(-1) ?? ''))];
  } finally {
    await server.close();
  }
}

function versionOf(corpus: string): string {
  const { stdout, status } = spawnSync('dpkg-query', ['-W', '-f', '${Version}', corpus], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`dpkg-query does not know ${corpus}.`);
  const hash = createHash('sha256').update(stdout);
  for (const source of ['corpus.ts', 'walk.ts', 'read-page.ts'])
    hash.update(readFileSync(new URL(source, import.meta.url)));
  return hash.digest('hex').slice(0, 16);
}
