// A process that converts pages one after the other, so that a page cannot crash the parent: see apart-converter.ts.
import { writeFileSync } from 'node:fs';
import { ConverterPool, type ConverterPoolOptions } from './converter-pool.ts';
import type { Log } from '../../../core/ports/log.ts';
import type { ConvertedPage, PageInput } from '../converter.ts';

/** The first message to the process carries the options, every other one a page. */
export type ToProcess =
  | { readonly limits: Omit<ConverterPoolOptions, 'threads' | 'module'> }
  | { readonly page: PageInput };

export interface FromProcess {
  readonly converted: ConvertedPage;
  /** Errors for the log of the service. */
  readonly defects: readonly LogFields[];
}

type LogFields = NonNullable<Parameters<Log['error']>[1]>;

function run(send: (message: FromProcess) => void): void {
  let pool: ConverterPool | undefined;
  const defects: LogFields[] = [];
  const log = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (_: string, fields: LogFields = {}) => void defects.push(fields),
  };
  process.on('message', (message: ToProcess) => {
    if ('limits' in message) pool = new ConverterPool({ ...message.limits, threads: 1 }, log);
    else if (pool)
      void pool.convertPage(message.page).then((converted) => send({ converted, defects: defects.splice(0) }));
  });
  // A terminal or a service manager sends these to all its processes. The parent ends this one when it is no longer
  // needed.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  // Without the parent the work is useless.
  process.on('disconnect', () => process.exit());
}

/** Makes this process the first that the kernel kills when memory is short. */
function volunteer(): void {
  if (process.platform !== 'linux') return;
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Some containers forbid it: then the kernel chooses.
  }
}

if (process.send) {
  volunteer();
  const send = process.send.bind(process);
  run((message) => void send(message));
}
