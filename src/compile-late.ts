// V8 compiles a function well once it has run for a while, in each thread for itself, and again whenever it sees something new
// there. A crawl of some seconds spent a third of its processor time on that. With these settings a function is compiled well
// after twenty times as much, when nearly all that it will meet has been seen: decision 22.
import { setFlagsFromString } from 'node:v8';

/** V8's own is 3,000. Between 30,000 and 120,000 no difference was seen. */
const invocationsBefore = 60_000;

/** To be called once, before any thread is started. */
export function compileLate(): void {
  setFlagsFromString(`--invocation-count-for-turbofan=${invocationsBefore}`);
  // What is not used for some collections of garbage is used again by the next page that is like the one before.
  setFlagsFromString('--no-flush-bytecode');
  // Threads that are started from now on compile where they run: each processor has a converter of its own to do that.
  // This thread was started before, and goes on to compile beside what it answers.
  setFlagsFromString('--no-concurrent-recompilation');
}
