// A thread of the bare loop: reads the pages that it is sent, and answers with how many they were and the links in them.
import { parentPort } from 'node:worker_threads';
import { PageReader } from './bare-loop-reader.ts';

export interface FetchedPage {
  readonly url: string;
  readonly body: Uint8Array;
}

export interface ReadBatch {
  readonly pages: number;
  readonly links: readonly string[];
}

const reader = new PageReader();
parentPort?.on('message', (pages: readonly FetchedPage[]) => {
  const links = pages.flatMap(({ url, body }) => reader.read(url, Buffer.from(body.buffer)));
  parentPort?.postMessage({ pages: pages.length, links } satisfies ReadBatch);
});
