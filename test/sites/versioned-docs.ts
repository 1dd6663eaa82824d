// Documentation in three versions: all name the page of the latest as canonical, and only some have its text.
import { anchor } from './html.ts';
import { navigationMark, type Site, type SiteModule, type Size } from './site.ts';
import { SitePlan } from './site-plan.ts';
import { marker, prose, range, title } from './words.ts';

export const versionedDocs: SiteModule = {
  name: 'versioned-docs',
  resembles:
    'Sphinx documentation in versions: canonical links to the latest, some texts equal and some not, index.html.',
  build,
};

const versions = ['v1', 'v2', 'latest'];
/** What the titles say. */
const releases: Readonly<Record<string, string>> = { v1: '1.4.2', v2: '2.0.1', latest: '2.1.dev0' };

function build(size: Size): Site {
  const plan = new SitePlan();
  const pages = range(size === 'small' ? 24 : 500).map((index) => ({
    index,
    file: `guide/${title(`docs ${index}`).toLowerCase().replace(' ', '-')}-${index}.html`,
    name: title(`docs ${index}`),
  }));
  plan.robots(['User-agent: *', 'Disallow:', 'Sitemap: {{origin}}/sitemap.xml']);
  // Such sitemaps list the front pages of the versions only.
  plan.sitemap(
    '/sitemap.xml',
    versions.map((version) => `/${version}/`),
  );
  // `/latest/` is first reached by this redirect, and linked afterwards.
  plan.redirect('/latest/', '/', '{{origin}}/latest/', marker('index latest'), 302);
  for (const version of versions) {
    const has = marker(`index ${version}`);
    const links = pages.map(({ file, name }) => `<li class="toctree-l1">${anchor(file, name)}</li>`);
    const index = frame(
      version,
      'index.html',
      'Welcome',
      `<p>${prose(`index ${version}`, 4)} ${has}.</p><div class="toctree-wrapper"><ul>${links.join('')}</ul></div>${anchor('_downloads/examples.zip', 'Examples')}`,
    );
    plan.copies(`/${version}/`, [`/${version}/`], index, has, { requests: version === 'latest' ? [1, 2] : 1 });
    plan.copies(`/${version}/`, [`/${version}/index.html`], index, has);
    plan.ends(`/${version}/_downloads/examples.zip`, 'content_type', {
      type: 'application/zip',
      body: new Uint8Array([0x50, 0x4b, 3, 4]),
      isFile: true,
    });
    plan.expect(`/${version}/_sources/index.rst.txt`, { kind: 'refused', reason: 'nofollow' }, 0);
    for (const { index: number, file, name } of pages) {
      // Every other page of the second version says what the latest says; those of the first say something else.
      const text = version === 'v2' && number % 2 === 0 ? `latest ${file}` : `${version} ${file}`;
      const body = frame(
        version,
        file,
        name,
        `<p>${prose(text, 6)} ${marker(text)}.</p><div class="highlight"><pre>make ${marker(`code ${text}`)}</pre></div><p>${prose(`${text} end`, 4)}</p>`,
      );
      plan.copies(text, [`/${version}/${file}`], body, marker(text));
      plan.expect(
        `/${version}/_sources/${file.replace('.html', '.rst.txt')}`,
        { kind: 'refused', reason: 'nofollow' },
        0,
      );
    }
    // The same in all versions: its results need a script.
    const search = marker('search');
    plan.copies(
      'search.html',
      [`/${version}/search.html`],
      frame(
        version,
        'search.html',
        'Search',
        `<div id="fallback"><p>Please activate JavaScript to enable the search functionality of ${search}.</p></div><p>Searching for several words only shows matches that contain all of them.</p><form action="" method="get"><input type="text" name="q"></form><div id="search-results"></div>`,
      ),
      search,
    );
    plan.expect(`/${version}/_sources/search.rst.txt`, { kind: 'refused', reason: 'nofollow' }, 0);
  }
  return plan.site({ latencyMs: [5, 20] });
}

function frame(version: string, file: string, name: string, main: string): string {
  const up = file.includes('/') ? '../' : '';
  const switcher = versions.map(
    (each) => `<dd>${anchor(`/${each}/${file === 'index.html' ? '' : file}`, `${navigationMark} ${each}`)}</dd>`,
  );
  return `<!DOCTYPE html>
<html class="writer-html5" lang="en"><head><meta charset="utf-8" /><title>${name} &mdash; Demo ${releases[version] ?? version} documentation</title>
<link rel="canonical" href="{{origin}}/latest/${file === 'index.html' ? '' : file}" /><link rel="index" title="Index" href="${up}genindex.html" /><link rel="search" title="Search" href="${up}search.html" /></head>
<body class="wy-body-for-nav"><div class="wy-grid-for-nav"><nav data-toggle="wy-nav-shift" class="wy-nav-side"><div class="wy-side-scroll">
<div class="version">${navigationMark} ${version}</div><div role="search">${anchor(`${up}search.html`, `${navigationMark} search`)}</div></div></nav>
<section class="wy-nav-content-wrap"><div class="wy-nav-content"><div class="rst-content">
<div role="navigation" aria-label="Page navigation"><ul class="wy-breadcrumbs"><li>${anchor(`${up}index.html`, `${navigationMark} home`)}</li><li class="wy-breadcrumbs-aside">${anchor(`${up}_sources/${file.replace('.html', '.rst.txt')}`, `${navigationMark} source`, 'rel="nofollow"')}</li></ul></div>
<div role="main" class="document" itemscope="itemscope"><div itemprop="articleBody"><section id="top"><h1>${name}<a class="headerlink" href="#top" title="Link to this heading"></a></h1>${main}</section></div></div>
<footer><div role="contentinfo"><p>&#169; ${navigationMark} 2026.</p></div></footer></div></div></section></div>
<div class="rst-versions" role="note" aria-label="Versions"><dl><dt>${navigationMark} versions</dt>${switcher.join('')}</dl></div></body></html>`;
}
