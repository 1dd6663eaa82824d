// Objects in memory, for tests of what uses them. It passes the contract of the real stores.
import type { ListedObjects, ObjectStore } from '../../src/core/ports/object-store.ts';

export class MemoryObjects implements ObjectStore {
  readonly place: string;
  readonly stored = new Map<string, { readonly bytes: Buffer; readonly modifiedAt: number }>();
  puts = 0;
  gets = 0;
  /** Called before each PUT. */
  beforePut: () => Promise<void> = async () => {};

  /** Called before each GET. */
  beforeGet: () => Promise<void> = async () => {};

  constructor(place = 's3://bucket/prefix') {
    this.place = place;
  }

  async put(name: string, bytes: Uint8Array): Promise<void> {
    this.puts++;
    await this.beforePut();
    this.stored.set(name, { bytes: Buffer.from(bytes), modifiedAt: Date.now() });
  }

  async get(name: string, range?: { readonly at: number; readonly size: number }): Promise<Buffer | undefined> {
    this.gets++;
    await this.beforeGet();
    const found = this.stored.get(name)?.bytes;
    if (!found || !range) return found;
    const slice = found.subarray(range.at, range.at + range.size);
    return slice.length === range.size ? slice : undefined;
  }

  async delete(names: readonly string[]): Promise<void> {
    for (const name of names) this.stored.delete(name);
  }

  async *list(prefix: string): AsyncGenerator<ListedObjects> {
    const names = [...this.stored].filter(([name]) => name.startsWith(prefix)).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const objects = names.map(([name, { bytes, modifiedAt }]) => ({ name, bytes: bytes.length, modifiedAt }));
    yield { objects, now: Date.now() };
  }

  async examine(): Promise<{ clockAheadMs: number; isVersioned: boolean; isLocked: boolean }> {
    return { clockAheadMs: 0, isVersioned: false, isLocked: false };
  }

  async close(): Promise<void> {}
}
