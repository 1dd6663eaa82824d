// Crawls the generated sites and lists what each crawl got wrong.
//
//   npm run sites                          all sites, small, as the check does
//   npm run sites -- --full                as large as such sites are, one after the other: minutes
//   npm run sites -- wiki facet-shop       only these
//
// Exit code 1 if a site has a fault, 2 if a name is no site.
import { parseArgs } from 'node:util';
import { allSites } from './all-sites.ts';
import { faultsOf, lineOf, startSiteCrawler, tableHead } from './crawl-site.ts';

const faultsShown = 10;

const { values, positionals } = parseArgs({
  options: { full: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const unknown = positionals.find((name) => !allSites.some((site) => site.name === name));
if (unknown === undefined) await crawlAll();
else {
  console.error(`There is no site ${unknown}. Sites: ${allSites.map(({ name }) => name).join(', ')}.`);
  process.exitCode = 2;
}

async function crawlAll(): Promise<void> {
  const sites = allSites.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
  const crawler = await startSiteCrawler();
  try {
    const start = performance.now();
    console.log(tableHead);
    let wrong = 0;
    // Small sites side by side, as in the check; full ones one after the other, so that the seconds can be compared.
    const crawls = values.full ? undefined : sites.map((site) => crawler.crawl(site, 'small'));
    for (const [index, site] of sites.entries()) {
      const result = await (crawls?.[index] ?? crawler.crawl(site, 'full'));
      const faults = faultsOf(result);
      if (faults.length > 0) wrong += 1;
      console.log(lineOf(result));
      for (const fault of faults.slice(0, faultsShown)) console.log(`    ${fault}`);
      if (faults.length > faultsShown) console.log(`    and ${faults.length - faultsShown} more`);
    }
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    console.log(`${sites.length - wrong} of ${sites.length} sites as expected, in ${seconds} s`);
    if (wrong > 0) process.exitCode = 1;
  } finally {
    await crawler.close();
  }
}
