// What a peer's program and run-program.ts say to each other, so that the start of the program is not measured: the program
// prints a line when it is ready, crawls once it gets one, prints another when it is done, and ends with its input.
//
//   echo | node bench/peers/<peer>.ts http://127.0.0.1:8000/index.html [its own arguments]
import { once } from 'node:events';

/** Whatever `crawl` has made stays in memory until the measurement is taken. */
export async function crawlOnOrder(crawl: (startUrl: string) => Promise<void>): Promise<void> {
  const startUrl = process.argv[2];
  if (startUrl === undefined) throw new Error('Which URL?');
  console.log('ready');
  await once(process.stdin, 'data');
  await crawl(startUrl);
  console.log('done');
  if (!process.stdin.readableEnded) await once(process.stdin.resume(), 'end');
}
