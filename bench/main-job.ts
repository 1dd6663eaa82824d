// The main job against its peers: one site crawled whole and converted to Markdown, by each in turn, round after round.
// Each runs in its own process against a fresh nginx; pages are counted in nginx's log. hayrake commits to disk; its peers
// keep their results in memory, or copy files.
//
//   node bench/main-job.ts [corpus, default postgresql-doc-15] [rounds, default 3] [peer..., default all]
import { loadavg } from 'node:os';
import { corpusFolder, defaultCorpus, pagesDelivered, serveCorpus } from './corpus.ts';
import { reachablePages } from './ground-truth.ts';
import { ours, type Peer, peers } from './peers.ts';
import { type Figures, printTable } from './table.ts';

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
const load = loadavg()[0] ?? 0;
const measured = new Map<string, Figures[]>(chosen.map(({ name }) => [name, []]));
for (let round = 1; round <= rounds; round++) {
  for (const peer of chosen.filter(({ name }) => !leftOut.has(name))) {
    try {
      const figures = await measure(peer);
      measured.get(peer.name)?.push(figures);
      console.error(
        `round ${round} of ${rounds}: ${peer.name}: ${figures.pages} pages, ${figures.pagesPerSecond.toFixed(1)}/s`,
      );
    } catch (error) {
      if (peer.name === ours || !(error instanceof Error)) throw error;
      leftOut.set(peer.name, `failed: ${error.message}`);
      measured.delete(peer.name);
      process.exitCode = 1;
    }
  }
}
printTable({ corpus, reachable: reachable.size, rounds, load, measured, leftOut });

async function measure(peer: Peer): Promise<Figures> {
  const server = await serveCorpus(corpus);
  try {
    const { seconds, cpuMs, peakRssBytes } = await peer.run(server.contentsUrl, corpus);
    const delivered = pagesDelivered(server.requestsLogged());
    const pages = delivered.size;
    return {
      pages,
      coverage: [...delivered].filter((page) => reachable.has(page)).length / reachable.size,
      pagesPerSecond: pages / seconds,
      cpuMsPerPage: cpuMs / pages,
      peakRssMb: peakRssBytes / 1e6,
    };
  } finally {
    await server.close();
  }
}
