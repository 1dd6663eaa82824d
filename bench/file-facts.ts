// How many facts of files the Markdown keeps, by format and program: own files, and those of Debian's source packages.
//
//   node bench/file-facts.ts [--wrong]
//
// `file-facts.txt` was written from the XML of the files and from what pandoc makes of them.
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type FactFile, readFactFiles, wrongFileFacts } from '../test/facts/fact-file.ts';

const cache = path.join(tmpdir(), 'hayrake-file-facts');
const endings = ['docx', 'xlsx', 'pptx', 'odt', 'ods', 'odp', 'ott', 'otp', 'rtf', 'epub', 'ipynb'];

/** Packages by the first segment of a name: what to download, and where the files are in it. */
const packages: Readonly<Record<string, { readonly source: string; readonly folder: string }>> = {
  pandoc: { source: 'pandoc', folder: 'pandoc-2.17.1.1/test' },
  poi: { source: 'libapache-poi-java', folder: 'apache-poi-4.0.1/test-data' },
  libreoffice: { source: 'libreoffice-common', folder: 'usr/lib/libreoffice' },
};

function folderOf(name: string): string {
  const { source, folder } = packages[name] ?? { source: '', folder: '' };
  const target = path.join(cache, source);
  if (!existsSync(target)) {
    mkdirSync(target, { recursive: true });
    const patterns = endings.map((ending) => `'*.${ending}'`).join(' ');
    // A source package needs a line deb-src in the list of sources.
    const get =
      name === 'libreoffice'
        ? `apt-get download ${source} && dpkg --fsys-tarfile ${source}_*.deb | tar x -C ${source} --wildcards ${patterns}`
        : `apt-get source --download-only ${source} && tar xf ${source}_*.orig.tar.* -C ${source} --wildcards ${patterns}`;
    const { status } = spawnSync('sh', ['-c', `${get} >&2`], { cwd: cache, stdio: ['ignore', 'inherit', 'inherit'] });
    // tar complains of endings that do not occur.
    if (status !== 0 && status !== 2) throw new Error(`${source} could not be downloaded: apt-get update, deb-src.`);
  }
  return path.join(target, folder);
}

interface Group {
  files: number;
  facts: number;
  found: number;
}

const groups = new Map<string, Group>();

async function judge(file: FactFile, bytes: Uint8Array, origin: string): Promise<void> {
  const wrong = await wrongFileFacts(file, bytes).catch((error: unknown) => {
    console.error(`${file.name}: ${String(error)}`);
    return file.facts;
  });
  if (process.argv.includes('--wrong')) for (const fact of wrong) console.log(`${origin} ${file.name} ${fact}`);
  const key = `${path.extname(file.name).slice(1)} | ${origin}`;
  const group = groups.get(key) ?? { files: 0, facts: 0, found: 0 };
  group.files++;
  group.facts += file.facts.length;
  group.found += file.facts.length - wrong.length;
  groups.set(key, group);
}

const listOf = (name: string): readonly FactFile[] =>
  readFactFiles(readFileSync(fileURLToPath(new URL(name, import.meta.url)), 'utf8'));

for (const file of listOf('../test/facts/files.txt'))
  await judge(file, readFileSync(new URL(`../test/facts/files/${file.name}`, import.meta.url)), 'own');
for (const file of listOf('file-facts.txt')) {
  const [origin = '', ...rest] = file.name.split('/');
  await judge(file, readFileSync(path.join(folderOf(origin), ...rest)), origin);
}
console.log('| format | files of | files | facts found | facts listed |\n|---|---|--:|--:|--:|');
for (const [key, { files, facts, found }] of [...groups].toSorted(([one], [other]) => (one < other ? -1 : 1)))
  console.log(`| ${key} | ${files} | ${found} | ${facts} |`);
const all = [...groups.values()];
const sum = (name: keyof Group): number => all.reduce((total, group) => total + group[name], 0);
console.log(`| all | | ${sum('files')} | ${sum('found')} | ${sum('facts')} |`);
