import type { BundledPackage } from './licences.ts';

/**
 * What a build contains, as CycloneDX 1.6. It has no time and no number of its own, so the same sources give the same
 * bytes.
 */
export function sbom(
  packages: readonly BundledPackage[],
  own: { readonly name: string; readonly version: string },
): string {
  const components = packages
    .map(({ name, version, license }) => ({
      type: 'library',
      'bom-ref': purl({ name, version }),
      name,
      version,
      purl: purl({ name, version }),
      licenses: [{ license: { id: license } }],
    }))
    .toSorted((a, b) => (a.purl < b.purl ? -1 : 1));
  const component = {
    type: 'application',
    'bom-ref': purl(own),
    name: own.name,
    version: own.version,
    purl: purl(own),
  };
  const dependencies = [{ ref: purl(own), dependsOn: components.map((each) => each.purl) }];
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component },
    components,
    dependencies,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** https://github.com/package-url/purl-spec: the scope is a namespace, whose `@` is encoded. */
function purl({ name, version }: { readonly name: string; readonly version: string }): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}
