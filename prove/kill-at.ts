// Loaded before the program (`--import`), also in its threads: kills the process, as a power cut would, when a
// fail-point is passed for the Nth time. KILL_AT is `NAME:N`.
import { subscribe } from 'node:diagnostics_channel';
import { failPointChannel } from '../src/core/process/fail-point.ts';

/** In the separate process that converts after a crash, the program dies, and this process with it. */
const isApart = process.title === 'hayrake-converter';

const [name, passes = '1'] = (process.env['KILL_AT'] ?? '').split(':');
if (name !== undefined && name !== '') {
  let left = Number(passes);
  subscribe(failPointChannel, (passed) => {
    if (passed !== name || --left > 0) return;
    process.kill(isApart ? process.ppid : process.pid, 'SIGKILL');
    // Nothing more must happen until the signal has arrived.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
}
