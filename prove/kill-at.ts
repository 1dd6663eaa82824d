// Loaded before the program (`--import`), in its threads too: kills the process, as a power cut would, when a fail-point is
// passed for the Nth time. KILL_AT is `NAME:N`.
import { subscribe } from 'node:diagnostics_channel';
import { failPointChannel } from '../src/core/fail-point.ts';

/** In the process that converts after a death it is the program that dies, and this one with it. */
const isApart = process.title === 'hayrake-converter';

const [name, passes = '1'] = (process.env['KILL_AT'] ?? '').split(':');
if (name !== undefined && name !== '') {
  let left = Number(passes);
  subscribe(failPointChannel, (passed) => {
    if (passed !== name || --left > 0) return;
    process.kill(isApart ? process.ppid : process.pid, 'SIGKILL');
    // Until the signal has arrived, nothing more may happen.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
}
