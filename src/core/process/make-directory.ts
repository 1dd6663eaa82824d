import { existsSync, mkdirSync } from 'node:fs';
import path from 'node:path';

/**
 * Makes a directory and those above it, if they are missing. Node's own `recursive` never returns where the file system
 * has no place for one, as below /proc.
 */
export function makeDirectory(directory: string, mode?: number): void {
  const missing: string[] = [];
  for (let at = path.resolve(directory); !existsSync(at); at = path.dirname(at)) missing.push(at);
  for (const one of missing.toReversed()) {
    try {
      mkdirSync(one, { mode });
    } catch (error) {
      // Another process can have made it meanwhile.
      if (!existsSync(one)) throw error;
    }
  }
}
