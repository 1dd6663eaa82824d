// Loaded into the program: converting a page whose path says so kills the whole process, as running out of memory does.
import { parentPort } from 'node:worker_threads';

parentPort?.on('message', ({ input }: { readonly input?: { readonly requestUrl?: string } }) => {
  if (input?.requestUrl?.includes('/deadly') === true) process.kill(process.pid, 'SIGKILL');
});
