// The licences of what a build contains, each with its text. A build fails when one is missing, or is of a kind that asks for
// more than to be named.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface BundledPackage {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  /** As SPDX writes it. */
  readonly license: string;
}

const welcome: ReadonlySet<string> = new Set(['MIT', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', 'Apache-2.0']);

/** Say their licence in their README only. */
const unwritten: Readonly<Record<string, string>> = {
  'abstract-logging': mit('Copyright (c) James Sumners <james.sumners@gmail.com>'),
  'pg-types': mit('Copyright (c) 2014 Brian M. Carlson'),
  pgpass: mit('Copyright (c) 2013-2016 Hannes Hörl'),
};

/** What a package contains of others without their licence. */
const contained: Readonly<Record<string, readonly { readonly name: string; readonly text: string }[]>> = {
  undici: [{ name: 'llhttp (in undici), MIT', text: mit('Copyright Fedor Indutny, 2018.') }],
  unpdf: [
    {
      name: 'pdf.js (in unpdf), Apache-2.0',
      text: `Copyright Mozilla Foundation\n\n${readFileSync(path.join(import.meta.dirname, '../LICENSE'), 'utf8')}`,
    },
  ],
};

export function licences(packages: readonly BundledPackage[]): string {
  const sections = packages
    .toSorted((a, b) => `${a.name} ${a.version}`.localeCompare(`${b.name} ${b.version}`, 'en'))
    .flatMap((bundled) => {
      const { name, version, license } = bundled;
      if (!welcome.has(license)) throw new Error(`${name} ${version} is under ${license}: may it be in the bundle?`);
      const own = { name: `${name} ${version}, ${license}`, text: textOf(bundled) };
      return [own].concat(contained[name] ?? []);
    });
  const rule = '='.repeat(100);
  const intro = 'hayrake contains these libraries, each under its own licence. Its own is in the file LICENSE.';
  return [intro, ...sections.map(({ name, text }) => `${rule}\n${name}\n${rule}\n\n${text.trim()}`), ''].join('\n\n');
}

function textOf({ folder, name }: BundledPackage): string {
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.map((file) => readFileSync(path.join(folder, file), 'utf8').trim());
  const text = texts.length > 0 ? texts.join('\n\n') : unwritten[name];
  if (text === undefined) throw new Error(`${folder} has no file with its licence; scripts/licences.ts can name it.`);
  return text;
}

function mit(copyright: string): string {
  return `${copyright}

Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation
files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy,
modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the
Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE,
ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.
`;
}
