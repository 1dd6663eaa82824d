import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { databaseFile } from './database-file.ts';
import { openDatabase } from './open-database.ts';

test('openDatabase: a writer leaves no byte of a value that it replaced by a shorter one', () => {
  const directory = mkdtempSync(path.join(tmpdir(), 'hayrake-replaced-'));
  try {
    const db = openDatabase(directory, 'writer');
    const replaced = 'What the row had before. '.repeat(20);
    const write = db.prepare("INSERT OR REPLACE INTO setting (name, value) VALUES ('of the test', CAST(? AS BLOB))");
    const isInFile = (text: string): boolean => {
      db.pragma('wal_checkpoint(TRUNCATE)');
      return readFileSync(path.join(directory, databaseFile)).includes(text);
    };
    write.run(replaced);
    expect(isInFile(replaced)).toBe(true);
    write.run('now');
    expect(isInFile('before.')).toBe(false);
    db.close();
  } finally {
    rmSync(directory, { recursive: true });
  }
});
