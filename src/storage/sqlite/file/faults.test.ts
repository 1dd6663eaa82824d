import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import type { ExitError } from '../../../core/errors.ts';
import { Database } from './database.ts';
import { endsWriting, explained, faultOf } from './faults.ts';
import { Writer } from '../thread/writer.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'hayrake-faults-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function failure(errcode: number): Error {
  return Object.assign(new Error(`SQLite ${errcode}`), { errcode });
}

// The directory can be written. Faults of the machine itself are tested in test/faults.
test.each([
  ['the lock is held', 5, 'locked', undefined],
  ['the lock is held to recover the log', 261, 'locked', undefined],
  ['the disk is full', 13, 'disk_full', undefined],
  ['the disk is read-only', 8, 'read_only', undefined],
  ['the file was moved away', 1_032, undefined, 7],
  ['fsync failed', 1_034, undefined, 7],
  ['fsync of the directory failed', 1_290, undefined, 7],
  ['a write failed', 778, undefined, 7],
  ['a read failed', 266, undefined, 7],
  ['there is no memory', 7, undefined, 7],
  ['there is no memory for input and output', 3_082, undefined, 7],
  ['the file is damaged', 11, undefined, 5],
  ['the file is no database', 26, undefined, 5],
])('faultOf: when %s (%d), returns the fault %s and the exit code %s', (_name, errcode, fault, exitCode) => {
  const error = failure(errcode);
  expect(faultOf(error, dir)).toBe(fault);
  // The store looks for a fault first, and waits for it to pass.
  expect(fault === undefined && endsWriting(error)).toBe(exitCode !== undefined);
  expect((explained(error, dir) as ExitError).exitCode).toBe(exitCode ?? 7);
});

test('explained: returns exit code 5 (damaged) when a column of the schema is missing', () => {
  const error = Object.assign(new Error('no such column: creatgd_at'), { code: 'ERR_SQLITE_ERROR', errcode: 1 });
  expect((explained(error, dir) as ExitError).exitCode).toBe(5);
});

test.each([
  ['a constraint', 19],
  ['wrong SQL', 1],
  ['a value that is too big', 18],
])('faultOf: treats %s as an error of the request alone', (_name, errcode) => {
  expect(faultOf(failure(errcode), dir)).toBeUndefined();
  expect(endsWriting(failure(errcode))).toBe(false);
});

describe('Writer', () => {
  const start = (
    onFault: (fault: ExitError | undefined) => void = () => {},
  ): { writer: Writer; ended: Promise<ExitError> } => {
    const { promise: ended, resolve } = Promise.withResolvers<ExitError>();
    const options = { dir, retries: true, diskFreeMb: 0, jobUrlsMax: 1_000 };
    const writer = new Writer(options, { onChange: () => {}, onFault, onEnd: resolve });
    return { writer, ended };
  };

  it('Writer.call: rejects with exit code 5 when the file is no database', async () => {
    writeFileSync(path.join(dir, 'hayrake.db'), 'Dear diary, '.repeat(1_000));
    const { writer, ended } = start();
    await expect(writer.call('ping')).rejects.toMatchObject({ exitCode: 5 });
    expect((await ended).message).toMatch(/damaged/);
    await expect(writer.call('ping')).rejects.toMatchObject({ exitCode: 5 });
    await writer.close();
  });

  it('Writer: ends with exit code 7 when it cannot start', async () => {
    rmSync(dir, { recursive: true });
    writeFileSync(dir, '');
    const { writer, ended } = start();
    await expect(writer.call('ping')).rejects.toMatchObject({ exitCode: 7 });
    expect((await ended).message).toMatch(/cannot be used/);
    await writer.close();
  });

  it('Writer.call: holds a write of the engine while another process holds the lock, until stopWaiting', async () => {
    const faults: (ExitError | undefined)[] = [];
    const { writer } = start((fault) => faults.push(fault));
    await writer.call('ping');
    const other = new Database(path.join(dir, 'hayrake.db'), { busyMs: 0 });
    other.exec('BEGIN IMMEDIATE');
    const held = writer.call('leaseHosts', {});
    await expect(writer.call('ping')).rejects.toMatchObject({ exitCode: 7, problem: 'unavailable' });
    expect(faults).toEqual([expect.objectContaining({ problem: 'unavailable' })]);
    writer.stopWaiting();
    await expect(held).rejects.toMatchObject({ exitCode: 7 });
    other.close();
    await writer.close();
  });
});
