// A process that converts pages one after the other, for a parent that may not die of them: see apart-converter.ts.
import { writeFileSync } from 'node:fs';
import { ConverterPool, type ConverterPoolOptions } from './converter-pool.ts';
import type { Log } from '../../core/log.ts';
import type { ConvertedPage, PageInput } from './converter.ts';

/** The first message to the process has the options, each other one a page. */
export type ToProcess =
  | { readonly limits: Omit<ConverterPoolOptions, 'threads' | 'module'> }
  | { readonly page: PageInput };

export interface FromProcess {
  readonly converted: ConvertedPage;
  /** What the log of the service is to say. */
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
  // Sent to all processes of a terminal or a service: the parent ends this one when it has no more use for it.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {});
  // Its work is of use to nobody else.
  process.on('disconnect', () => process.exit());
}

/** Where the kernel has to end a process since memory is short, it is to be this one. */
function volunteer(): void {
  if (process.platform !== 'linux') return;
  try {
    writeFileSync('/proc/self/oom_score_adj', '1000');
  } catch {
    // Some containers do not let it choose: then the kernel does.
  }
}

if (process.send) {
  volunteer();
  const send = process.send.bind(process);
  run((message) => void send(message));
}
