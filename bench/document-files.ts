// PDFs of Debian packages: many languages, programs and layouts. Each package is downloaded once, and unpacked without being installed.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface DocumentFile {
  readonly name: string;
  /** What it is an example of. */
  readonly kind: string;
  read(): Uint8Array;
}

/** Name, kind, package, and where the file is in it. */
const rows: readonly (readonly [name: string, kind: string, fromPackage: string, file: string])[] = [
  ['reference-en', 'Latin, DocBook', 'debian-reference-en', 'share/debian-reference/debian-reference.en.pdf'],
  ['faq-en', 'Latin, code', 'debian-faq', 'share/doc/debian/FAQ/debian-faq.en.pdf.gz'],
  ['zoo', 'Latin, code and tables', 'r-cran-zoo', 'lib/R/site-library/zoo/doc/zoo.pdf'],
  ['sp', 'two columns', 'r-cran-sp', 'lib/R/site-library/sp/doc/csdacm.pdf'],
  ['sigconf', 'two columns', 'texlive-publishers-doc', 'share/doc/texlive-doc/latex/acmart/samples/sample-sigconf.pdf'],
  ['ieee', 'two columns', 'texlive-publishers-doc', 'share/doc/texlive-doc/latex/ieeeconf/IEEEconf.pdf'],
  ['refcard-en', 'four columns', 'debian-refcard', 'share/doc/debian-refcard/refcard-en-a4.pdf.gz'],
  ['install-ru', 'Cyrillic', 'installation-guide-amd64', 'share/doc/installation-guide-amd64/ru/install.ru.pdf.gz'],
  ['install-ko', 'Korean', 'installation-guide-amd64', 'share/doc/installation-guide-amd64/ko/install.ko.pdf.gz'],
  [
    'install-zh',
    'Chinese',
    'installation-guide-amd64',
    'share/doc/installation-guide-amd64/zh_CN/install.zh_CN.pdf.gz',
  ],
  ['install-ja', 'Japanese', 'installation-guide-amd64', 'share/doc/installation-guide-amd64/ja/install.ja.pdf.gz'],
  ['ipadic-ja', 'Japanese, fonts not embedded', 'ipadic-common', 'share/doc/ipadic-common/ipadic-ja.pdf'],
  ['amiri', 'Arabic', 'fonts-hosny-amiri', 'share/doc/fonts-hosny-amiri/Documentation-Arabic.pdf.gz'],
];

export function documentFiles(): readonly DocumentFile[] {
  return rows.map(([name, kind, fromPackage, file]) => ({
    name,
    kind,
    read() {
      const bytes = readFileSync(path.join(unpackedPackage(fromPackage), 'usr', file));
      return file.endsWith('.gz') ? gunzipSync(bytes) : bytes;
    },
  }));
}

/** The folder of a package. Throws what to do where it cannot be had. */
function unpackedPackage(name: string): string {
  const cache = path.join(tmpdir(), 'hayrake-documents');
  const folder = path.join(cache, name);
  if (existsSync(folder)) return folder;
  mkdirSync(folder, { recursive: true });
  // Only the PDFs: the package of publishers' styles has 500 MB of other files.
  const command = `apt-get download ${name} >&2 && dpkg --fsys-tarfile ${name}_*.deb | tar x -C ${name} --wildcards '*.pdf*' && rm ${name}_*.deb`;
  const { status } = spawnSync('sh', ['-c', command], { cwd: cache, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`${name} could not be downloaded: apt-get update, and try again.`);
  return folder;
}
