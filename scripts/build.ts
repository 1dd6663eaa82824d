// What is published: dist/, made from src/ and the libraries that it uses, with their licences. Nothing has to be installed
// with it. Why it is a few files rather than one, and not minified: docs/decisions/program.md.
import type { Metafile } from 'esbuild';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { constants } from 'node:zlib';
import { bundle, swaggerUiFolder } from './bundle.ts';
import { bundleClient, declareClient } from './bundle-client.ts';
import { type BundledPackage, licences } from './licences.ts';
import { sbom } from './sbom.ts';

const root = path.join(import.meta.dirname, '..');
const dist = path.join(root, 'dist');

rmSync(dist, { recursive: true, force: true });
for (const folder of ['dashboard', 'client']) mkdirSync(path.join(dist, folder), { recursive: true });
const { files, metafile } = await bundle(dist, { quality: constants.BROTLI_MAX_QUALITY });
for (const { path: file, contents } of files) writeFileSync(file, contents);
for (const { name, contents } of [await bundleClient(), ...declareClient()]) {
  writeFileSync(path.join(dist, 'client', name), contents);
}
const packages = packagesIn(metafile);
const { name: ownName, version: ownVersion } = JSON.parse(
  readFileSync(path.join(root, 'package.json'), 'utf8'),
) as BundledPackage;
writeFileSync(path.join(dist, 'LICENSES.txt'), licences(packages));
writeFileSync(path.join(dist, 'sbom.cdx.json'), sbom(packages, { name: ownName, version: ownVersion }));
for (const [file, { bytes }] of Object.entries(metafile.outputs)) {
  console.log(`${String(Math.ceil(bytes / 1024)).padStart(6)} KiB  ${file}`);
}

/** The packages of which anything is in the bundle. */
function packagesIn({ outputs }: Metafile): BundledPackage[] {
  const folders = new Set([swaggerUiFolder]);
  for (const { inputs } of Object.values(outputs)) {
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const [folder] = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [];
      if (folder !== undefined && bytesInOutput > 0) folders.add(path.join(root, folder));
    }
  }
  return [...folders].map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Omit<
      BundledPackage,
      'folder'
    >;
    return { folder, name, version, license };
  });
}
