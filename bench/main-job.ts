// The main job against its peers: one site crawled whole and converted to Markdown, by each in turn, round after round.
// Each runs in its own process against a fresh nginx; pages are counted in nginx's log. First those that do what hayrake does: choose
// the main content and keep it on disk, where it is checked page by page. Then the ceiling: peers that do less.
//
//   node bench/main-job.ts [corpus, default postgresql-doc-15] [rounds, default 3] [peer..., default all]
//
// HAYRAKE_BENCH_TEXTS names a file of pages whose main text is marked (text-score.ts): each extractor's score stands beside its speed.
import { loadavg } from 'node:os';
import { contentCheck, type Kept } from './content-check.ts';
import { corpusFolder, defaultCorpus, pagesDelivered, serveCorpus } from './corpus.ts';
import { reachablePages } from './ground-truth.ts';
import { ours, type Peer, peers } from './peers.ts';
import { type Figures, printTables } from './table.ts';
import { type ExtractorName, scoreTexts } from './text-score.ts';

const [corpus = defaultCorpus, roundsGiven = '3', ...named] = process.argv.slice(2);
const rounds = Number(roundsGiven);
if (!Number.isInteger(rounds) || rounds < 1) throw new Error('How many rounds? A whole number, 1 or more.');
corpusFolder(corpus);
const unknown = named.filter((name) => !peers.some((peer) => peer.name === name));
if (unknown.length > 0)
  throw new Error(`There is no peer ${unknown.join(', ')}. There are: ${peers.map(({ name }) => name).join(', ')}`);

/** Why a peer is not in the table. */
const leftOut = new Map<string, string>();
const chosen = peers.filter((peer) => {
  const asked = named.length > 0 ? named.includes(peer.name) : peer.onRequest === undefined;
  const reason = asked ? peer.requires() : 'not asked for';
  if (reason !== undefined) leftOut.set(peer.name, reason);
  return reason === undefined;
});

const reachable = await reachablePages(corpus);
const check = contentCheck(corpus, reachable);
const scores = await scoresOf(process.env['HAYRAKE_BENCH_TEXTS']);
const load = loadavg()[0] ?? 0;
const measured = new Map<string, Figures[]>(chosen.map(({ name }) => [name, []]));
for (let round = 1; round <= rounds; round++) {
  for (const peer of chosen.filter(({ name }) => !leftOut.has(name))) {
    try {
      const figures = await measure(peer);
      measured.get(peer.name)?.push(figures);
      console.error(
        `round ${round} of ${rounds}: ${peer.name}: ${figures.pages} pages, ${figures.pagesPerSecond.toFixed(1)}/s, ${figures.cpuMsPerPage.toFixed(2)} CPU ms a page, ${figures.peakRssMb.toFixed(0)} MB${keptText(figures.kept)}`,
      );
    } catch (error) {
      if (peer.name === ours || !(error instanceof Error)) throw error;
      leftOut.set(peer.name, `failed: ${error.message}`);
      measured.delete(peer.name);
      process.exitCode = 1;
    }
  }
  // After each round, so that a run that is stopped early has its figures.
  printTables({ corpus, reachable: reachable.size, rounds: round, load, peers: chosen, measured, leftOut, scores });
}

function keptText(kept: Kept | undefined): string {
  return kept === undefined ? '' : `, ${kept.pages} kept, ${kept.recall.toFixed(4)} of the words`;
}

/** F1 of each extractor that is in the table. */
async function scoresOf(file: string | undefined): Promise<ReadonlyMap<ExtractorName, number>> {
  const found = new Map<ExtractorName, number>();
  if (file === undefined) {
    console.error('Texts are not scored: HAYRAKE_BENCH_TEXTS names no file of pages whose main text is marked.');
    return found;
  }
  for (const { extractor } of chosen) {
    if (extractor !== undefined && !found.has(extractor)) found.set(extractor, (await scoreTexts(file, extractor)).f1);
  }
  return found;
}

async function measure(peer: Peer): Promise<Figures> {
  const server = await serveCorpus(corpus);
  try {
    let kept: Kept | undefined;
    const { seconds, cpuMs, peakRssBytes } = await peer.run(server.contentsUrl, corpus, (folder) => {
      // Once: it takes as long as some crawls, and the texts of later rounds are the same.
      if (peer.keepsContent && measured.get(peer.name)?.length === 0) kept = check(folder);
    });
    const delivered = pagesDelivered(server.requestsLogged());
    const pages = delivered.size;
    return {
      pages,
      coverage: [...delivered].filter((page) => reachable.has(page)).length / reachable.size,
      pagesPerSecond: pages / seconds,
      cpuMsPerPage: cpuMs / pages,
      peakRssMb: peakRssBytes / 1e6,
      ...(kept !== undefined && { kept }),
    };
  } finally {
    await server.close();
  }
}
