// docs/options.md, from the table of options.
import { z } from 'zod';
import { aboutOf, optionsOf } from '../src/options/inputs.ts';
import { type Option, places as placesOfOptions } from '../src/options/option.ts';
import { options } from '../src/options/table.ts';

export function optionDocs(): string {
  const rows = Object.entries<Option>(options).map(([name, option]) => {
    const { schema, flag, places, scrapeName } = option;
    const names = [
      ...(places.includes('crawl') || scrapeName === undefined ? [name] : []),
      ...(scrapeName === undefined ? [] : [scrapeName]),
    ];
    const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
    const cells = [
      names.map((one) => `\`${one}\``).join(', '),
      typeOf(json),
      json.default === undefined ? '' : `\`${JSON.stringify(json.default)}\``,
      flag === undefined ? '' : `\`${flag.flags}\``,
      placesOfOptions.filter((place) => places.includes(place)).join(', '),
      aboutOf(option),
    ];
    return `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
  });
  const renamed = optionsOf('scrape').filter(({ option }) => option.scrapeName !== undefined);
  return `# Options

The options of a request. *crawl* is \`POST /crawler/jobs\` and \`hayrake crawl\`, *scrape* is \`POST /scraper/scrape\` and
\`hayrake scrape\`, *retry* is \`POST /crawler/jobs/{id}/retry\` and \`hayrake retry\`, *map* is
\`POST /scraper/map\` and \`hayrake map\`, *batch* is \`POST /scraper/batch\`, *reextract* is
\`POST /crawler/jobs/{id}/reextract\` and \`hayrake reextract\`. In a scrape ${renamed
    .map(({ name, option }) => `\`${nameOf(option)}\` is called \`${name}\``)
    .join(', ')}.
A field that is not in this table is refused with a 400 that names it. [Add an option](add-an-option.md) shows how to add one.

| Field | Type | Default | Flag | Requests | Meaning |
|---|---|---|---|---|---|
${rows.join('\n')}
`;
}

function nameOf(option: Option): string {
  return Object.entries<Option>(options).find(([, other]) => other === option)?.[0] ?? '';
}

/** A JSON schema in a few words. */
function typeOf(json: z.core.JSONSchema._JSONSchema): string {
  if (typeof json === 'boolean') return 'anything';
  if (json.anyOf) return json.anyOf.map(typeOf).join(' or ');
  if (json.const !== undefined) return `\`${JSON.stringify(json.const)}\``;
  if (json.enum) return json.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (json.type === 'integer') return `${grouped(json.minimum)} to ${grouped(json.maximum)}`;
  if (json.type === 'array') return 'list of strings';
  if (json.type === 'object') return json.properties === undefined ? 'object of strings' : 'object';
  return typeof json.type === 'string' ? json.type : 'anything';
}

function grouped(value: unknown): string {
  return Number(value).toLocaleString('en');
}
