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

const welcome: ReadonlySet<string> = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
]);

/** Say their licence in their README only. */
const unwritten: Readonly<Record<string, string>> = {
  'abstract-logging': mit('Copyright (c) James Sumners <james.sumners@gmail.com>'),
  'pg-types': mit('Copyright (c) 2014 Brian M. Carlson'),
  pgpass: mit('Copyright (c) 2013-2016 Hannes Hörl'),
};

/** What a package contains of others without their licence. */
const contained: Readonly<Record<string, readonly { readonly name: string; readonly text: string }[]>> = {
  tldts: [
    {
      name: 'Public Suffix List (in tldts), MPL-2.0',
      text: 'The list is at https://publicsuffix.org/list/, under the Mozilla Public License 2.0: https://mozilla.org/MPL/2.0/.',
    },
  ],
  'swagger-ui-dist': [
    {
      name: 'Libraries in swagger-ui-dist, as it names them: MIT, BSD-3-Clause, Apache-2.0',
      text: readFileSync(
        path.join(import.meta.dirname, '../node_modules/swagger-ui-dist/swagger-ui-bundle.js.LICENSE.txt'),
        'utf8',
      ),
    },
  ],
  undici: [{ name: 'llhttp (in undici), MIT', text: mit('Copyright Fedor Indutny, 2018.') }],
  unpdf: [
    {
      name: 'pdf.js (in unpdf), Apache-2.0; changed by hayrake: streams are decoded within a limit of bytes',
      text: `Copyright Mozilla Foundation\n\n${readFileSync(path.join(import.meta.dirname, '../LICENSE'), 'utf8')}`,
    },
    {
      name: 'Character maps of Adobe (in pdf.js), BSD-3-Clause; packed into one file by hayrake',
      text: bsd(
        ['Copyright 1990-2009 Adobe Systems Incorporated. All rights reserved.'],
        'Neither the name of Adobe Systems Incorporated nor the names of its contributors may be used to endorse or promote products\n   derived from this software without specific prior written permission.',
      ),
    },
    {
      name: 'OpenJPEG (in pdf.js), BSD-2-Clause',
      text: bsd([
        'Copyright (c) 2002-2014, Universite catholique de Louvain (UCL), Belgium',
        'Copyright (c) 2002-2014, Professor Benoit Macq',
        'Copyright (c) 2003-2014, Antonin Descampe',
        'Copyright (c) 2003-2009, Francois-Olivier Devaux',
        'Copyright (c) 2005, Herve Drolon, FreeImage Team',
        'Copyright (c) 2002-2003, Yannick Verschueren',
        'Copyright (c) 2001-2003, David Janssens',
        "Copyright (c) 2011-2012, Centre National d'Etudes Spatiales (CNES), France",
        "Copyright (c) 2012, CS Systemes d'Information, France",
      ]),
    },
    {
      name: 'qcms (in pdf.js), MIT',
      text: mit('Copyright (C) 2009-2024 Mozilla Corporation\nCopyright (C) 1998-2007 Marti Maria'),
    },
    {
      name: 'JBIG2 of PDFium (in pdf.js), BSD-3-Clause',
      text: bsd(
        ['Copyright 2014 The PDFium Authors'],
        'Neither the name of Google Inc. nor the names of its contributors may be used to endorse or promote products derived from\n   this software without specific prior written permission.',
      ),
    },
    {
      name: 'Brotli (in pdf.js), MIT',
      text: mit('Copyright (c) 2009, 2010, 2013-2016 by the Brotli Authors.'),
    },
  ],
};

export function licences(packages: readonly BundledPackage[]): string {
  const sections = packages
    .toSorted((a, b) => `${a.name} ${a.version}`.localeCompare(`${b.name} ${b.version}`, 'en'))
    .flatMap((bundled) => {
      const { name, version, license } = bundled;
      if (!welcome.has(license))
        throw new Error(
          `${name} ${version} is under ${license}, which is not on the list. Check that the bundle may contain it.`,
        );
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
  if (text === undefined) throw new Error(`${folder} has no licence file. Name it in scripts/licences.ts.`);
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

/** With two clauses, or with a third. */
function bsd(copyrights: readonly string[], third?: string): string {
  return `${copyrights.join('\n')}
All rights reserved.

Redistribution and use in source and binary forms, with or without modification, are permitted provided that the following
conditions are met:
1. Redistributions of source code must retain the above copyright notice, this list of conditions and the following disclaimer.
2. Redistributions in binary form must reproduce the above copyright notice, this list of conditions and the following
   disclaimer in the documentation and/or other materials provided with the distribution.${third === undefined ? '' : `\n3. ${third}`}

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS "AS IS" AND ANY EXPRESS OR IMPLIED WARRANTIES, INCLUDING,
BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE DISCLAIMED. IN NO EVENT
SHALL THE COPYRIGHT OWNER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL, SPECIAL, EXEMPLARY, OR CONSEQUENTIAL
DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES; LOSS OF USE, DATA, OR PROFITS; OR BUSINESS
INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING
NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.
`;
}
