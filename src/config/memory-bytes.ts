import { totalmem } from 'node:os';

/** Memory available to the process: that of its container, else of the machine. */
export function memoryBytes(): number {
  const constrained = process.constrainedMemory();
  // Without a limit some systems report zero, others 2^64.
  return constrained > 0 && constrained < totalmem() ? constrained : totalmem();
}
