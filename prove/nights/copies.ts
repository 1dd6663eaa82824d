// Who keeps a copy of a site that is crawled night after night: a program that follows each job, or those of the recipe, word
// for word, that follow a schedule. A copy is a file of SQLite with the table `page (url, text)`.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { TestService } from '../../test/service/start-service.ts';
import type { Random } from '../simulation/random.ts';

const root = path.join(import.meta.dirname, '../..');

export interface Copy {
  readonly file: string;
  readonly cwd: string;
  /** The share of nights on which it reads. It has read everything after each of them, and after the last. */
  readonly reads: number;
  readonly env: Readonly<Record<string, string>>;
  /** The program and its arguments. It ends when it has read what there is. */
  command(service: TestService, job: string): readonly [string, ...string[]];
}

/** Follows `changes` of each job, in slices of any size. */
export function jobCopies(directory: string, random: Random): readonly Copy[] {
  const file = path.join(directory, 'copy.db');
  const program = fileURLToPath(new URL('consumer.ts', import.meta.url));
  return [
    {
      file,
      cwd: directory,
      reads: 1,
      env: {},
      command: ({ origin, token }, job) => [
        process.execPath,
        '--disable-warning=ExperimentalWarning',
        program,
        file,
        origin,
        token,
        job,
        String(random.of([1, 3, 10, 400])),
      ],
    },
  ];
}

/** Follow the feed of a schedule: the recipe in both languages, and once more for somebody who seldom reads. */
export function recipeCopies(directory: string, schedule: string): readonly Copy[] {
  const [script, python] = recipe();
  const client = pathToFileURL(path.join(root, 'packages/client/index.ts')).href;
  const copyIn = (
    name: string,
    files: Readonly<Record<string, string>>,
    fields: Pick<Copy, 'command' | 'reads'>,
  ): Copy => {
    const cwd = path.join(directory, name);
    mkdirSync(cwd);
    for (const [file, text] of Object.entries(files)) writeFileSync(path.join(cwd, file), text);
    const env = { PYTHONPATH: path.join(root, 'clients/python'), PYTHONDONTWRITEBYTECODE: '1' };
    return { file: path.join(cwd, 'copy.db'), cwd, env, ...fields };
  };
  const inScript = {
    'package.json': '{"type":"module"}',
    'index.js': scriptIndex,
    'follow.js': script.replace("'hayrake/client'", `'${client}'`),
  };
  const ofScript = (): readonly [string, ...string[]] => [
    process.execPath,
    '--disable-warning=ExperimentalWarning',
    'follow.js',
    schedule,
  ];
  return [
    copyIn('script', inScript, { reads: 1, command: ofScript }),
    copyIn(
      'python',
      { 'index.py': pythonIndex, 'follow.py': python },
      { reads: 1, command: () => ['python3', 'follow.py', schedule] },
    ),
    copyIn('seldom', inScript, { reads: 0.3, command: ofScript }),
  ];
}

function recipe(): readonly [string, string] {
  const recipes = readFileSync(path.join(root, 'docs/recipes.md'), 'utf8');
  const [, part = ''] = recipes.split('\n## A vector store that stays equal to a site\n');
  const [script, python] = Array.from(
    part.split('\n## ')[0]?.matchAll(/^```\w+\n([^]*?)^```/gmu) ?? [],
    ([, code = '']) => code,
  );
  if (script === undefined || python === undefined) throw new Error('the recipe is gone');
  return [script, python];
}

const tables = `CREATE TABLE IF NOT EXISTS page (url TEXT PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS place (id INTEGER PRIMARY KEY, cursor TEXT NOT NULL);`;

const scriptIndex = `import { DatabaseSync } from 'node:sqlite';
const copy = new DatabaseSync('copy.db');
copy.exec(\`PRAGMA busy_timeout = 5000; PRAGMA synchronous = OFF; ${tables}\`);
const put = copy.prepare('INSERT INTO page VALUES (?, ?) ON CONFLICT DO UPDATE SET text = excluded.text');
const remove = copy.prepare('DELETE FROM page WHERE url = ?');
const keep = copy.prepare('INSERT INTO place VALUES (1, ?) ON CONFLICT DO UPDATE SET cursor = excluded.cursor');
export const index = {
  put: (url, text) => void put.run(url, text),
  remove: (url) => void remove.run(url),
  urls: () => copy.prepare('SELECT url FROM page').all().map(({ url }) => url),
  cursor: () => copy.prepare('SELECT cursor FROM place').get()?.cursor,
  keepCursor: (cursor) => void keep.run(cursor),
};
`;

const pythonIndex = `import sqlite3


class Index:
    def __init__(self):
        self.copy = sqlite3.connect("copy.db", isolation_level=None, timeout=5)
        self.copy.executescript("""PRAGMA synchronous = OFF; ${tables}""")

    def put(self, url, text):
        self.copy.execute("INSERT INTO page VALUES (?, ?) ON CONFLICT DO UPDATE SET text = excluded.text", (url, text))

    def remove(self, url):
        self.copy.execute("DELETE FROM page WHERE url = ?", (url,))

    def urls(self):
        return [url for (url,) in self.copy.execute("SELECT url FROM page")]

    def cursor(self):
        row = self.copy.execute("SELECT cursor FROM place").fetchone()
        return row and row[0]

    def keep_cursor(self, cursor):
        self.copy.execute("INSERT INTO place VALUES (1, ?) ON CONFLICT DO UPDATE SET cursor = excluded.cursor", (cursor,))


index = Index()
`;
