// The memory of a process and its descendants, as Linux reports it. On other systems it is unknown, and not limited.
import { readFileSync } from 'node:fs';

export interface ProcessMemory {
  readonly pid: number;
  /** Memory that the process shares with no other. */
  readonly privateBytes: number;
}

const pageBytes = 4_096;
/** A browser has some ten processes; more than this is a malfunction. */
const processesMax = 500;

/** The process and its descendants that exist. */
export function memoryOfTree(pid: number): ProcessMemory[] {
  const found: ProcessMemory[] = [];
  const waiting = [pid];
  for (let next = waiting.pop(); next !== undefined && found.length < processesMax; next = waiting.pop()) {
    try {
      const [, resident = 0, shared = 0] = readFileSync(`/proc/${next}/statm`, 'utf8').split(' ').map(Number);
      found.push({ pid: next, privateBytes: Math.max(0, resident - shared) * pageBytes });
      const children = readFileSync(`/proc/${next}/task/${next}/children`, 'utf8');
      waiting.push(...children.split(' ').filter(Boolean).map(Number));
    } catch {
      // It has ended meanwhile.
    }
  }
  return found;
}
