// V8 compiles a function well once it has run for a while, in each thread for itself, and again whenever it sees something new
// there. A crawl of some seconds spent a fifth of its processor time and more on that: decision 22.
import { setFlagsFromString } from 'node:v8';

/** Nearly all that a function will meet has been seen by then. */
const invocationsLate = 60_000;
/** V8's own. */
const invocationsOrdinary = 3_000;
const lateMs = 5_000;

let ordinary: NodeJS.Timeout | undefined;

/**
 * To be called before a converter is started. For some seconds everything in this process is compiled later: then all that
 * is hot is compiled at once, and the threads that answer the API are not left waiting for it.
 */
export function compileLate(): void {
  compileAfter(invocationsLate);
  clearTimeout(ordinary);
  ordinary = setTimeout(compileAfter, lateMs, invocationsOrdinary).unref();
  // Threads that are started from now on compile where they run: each processor has a converter of its own to do that.
  // Threads that were started before, such as the main one, go on to compile beside what they do.
  setFlagsFromString('--no-concurrent-recompilation');
}

function compileAfter(invocations: number): void {
  setFlagsFromString(`--invocation-count-for-turbofan=${invocations}`);
}
