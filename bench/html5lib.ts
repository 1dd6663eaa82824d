// How far the parser follows the HTML standard: the tree construction tests of html5lib-tests.
//
//   node bench/html5lib.ts FOLDER [--list]
//
// FOLDER has the `.dat` files. `--list` prints each case that differs in its tree or in the order of its text.
import type { ChildNode } from 'domhandler';
import { isTag, isText } from 'domhandler';
import { parseHtml } from '../src/extract/html/parse-html.ts';
import { readCases, type TreeCase, type TreeNode } from './html5lib-cases.ts';
import { type IntendedDifference, intendedDifferences, type Trees } from './html5lib-rules.ts';

interface Result {
  readonly treeCase: TreeCase;
  readonly ours: readonly TreeNode[];
  /** The rules that make the trees equal; undefined if no rules do. */
  readonly rules: readonly IntendedDifference[] | undefined;
  readonly hasSameText: boolean;
}

function main(folder: string, isListed: boolean): void {
  const cases = readCases(folder);
  if (cases.length === 0) {
    console.error(`${folder} has no cases. bench/README.md says where the folder comes from.`);
    process.exitCode = 1;
    return;
  }
  const results = cases.filter(({ needs }) => needs === undefined).map(compare);
  if (isListed) for (const result of results) if (result.rules === undefined || !result.hasSameText) print(result);
  const equal = results.filter(({ rules }) => rules?.length === 0).length;
  const different = results.filter(({ rules }) => rules === undefined).length;
  printTable([
    ['cases', cases.length],
    ['not run: need a fragment', cases.filter(({ needs }) => needs === 'a fragment').length],
    ['not run: need scripts', cases.filter(({ needs }) => needs === 'scripts').length],
    ['run', results.length],
    ['equal', equal],
    ['equal up to intended differences', results.length - equal - different],
    ...intendedDifferences.map(
      (rule) => [`- ${rule.name}`, results.filter((r) => r.rules?.includes(rule)).length] as const,
    ),
    ['different', different],
    ['the same text in the same order', results.filter(({ hasSameText }) => hasSameText).length],
  ]);
}

function compare(treeCase: TreeCase): Result {
  const ours = parseHtml(treeCase.html, { keepsAll: true }).children.flatMap(plain);
  return {
    treeCase,
    ours,
    rules: rulesFor(treeCase, ours),
    hasSameText: textOf(ours) === textOf(treeCase.expected),
  };
}

function plain(node: ChildNode): TreeNode[] {
  if (isText(node)) return [node.data];
  if (!isTag(node)) return [];
  const attributes = Object.entries(node.attribs).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return [{ name: node.name, attributes, children: node.children.flatMap(plain) }];
}

/** Applies all rules, then leaves out those that the trees do not need. */
function rulesFor({ expected, html }: TreeCase, ours: readonly TreeNode[]): Result['rules'] {
  const areEqualAfter = (rules: readonly IntendedDifference[]): boolean => {
    const trees = rules.reduce((before: Trees, { rewrite }) => rewrite(before, html), { expected, ours });
    return dumpOf(trees.expected) === dumpOf(trees.ours);
  };
  if (!areEqualAfter(intendedDifferences)) return undefined;
  return intendedDifferences.toReversed().reduce((needed, rule) => {
    const others = needed.filter((other) => other !== rule);
    return areEqualAfter(others) ? others : needed;
  }, intendedDifferences);
}

/** One line for each node. Texts next to each other are one. */
function dumpOf(nodes: readonly TreeNode[], indent = ''): string {
  const lines: string[] = [];
  let text = '';
  for (const node of [...nodes, undefined]) {
    if (typeof node === 'string') {
      text += node;
      continue;
    }
    if (text !== '') lines.push(`${indent}${JSON.stringify(text)}\n`);
    text = '';
    if (node === undefined) break;
    const attributes = node.attributes.map(([name, value]) => ` ${name}=${JSON.stringify(value)}`).join('');
    lines.push(`${indent}<${node.name}${attributes}>\n`, dumpOf(node.children, `${indent}  `));
  }
  return lines.join('');
}

/** Text that can become Markdown, with single spaces. */
function textOf(nodes: readonly TreeNode[]): string {
  return visibleText(nodes).replaceAll(/\s+/g, ' ').trim();
}

function visibleText(nodes: readonly TreeNode[]): string {
  return nodes
    .map((node) => (typeof node === 'string' ? node : isUnseen(node.name) ? '' : visibleText(node.children)))
    .join('');
}

function isUnseen(name: string): boolean {
  return name.startsWith('#') || ['script', 'style', 'template', 'title'].includes(name.replace(/^svg /, ''));
}

function print({ treeCase: { id, html, expected }, ours, rules, hasSameText }: Result): void {
  const verdict = [...(rules === undefined ? ['tree'] : []), ...(hasSameText ? [] : ['text'])].join(' and ');
  console.log(`${id}: other ${verdict}\n${html}\n\nexpected\n${dumpOf(expected, '  ')}\nours\n${dumpOf(ours, '  ')}`);
}

function printTable(rows: readonly (readonly [label: string, count: number])[]): void {
  const width = Math.max(...rows.map(([label]) => label.length));
  console.log(`| ${''.padEnd(width)} | Cases |\n| ${'-'.repeat(width)} | ----: |`);
  for (const [label, count] of rows) console.log(`| ${label.padEnd(width)} | ${String(count).padStart(5)} |`);
  console.log('\nIntended differences:\n');
  for (const { name, reason } of intendedDifferences) console.log(`- ${name}: ${reason}`);
}

const [folder, option] = process.argv.slice(2);
if (folder === undefined || (option !== undefined && option !== '--list')) {
  console.error('Usage: node bench/html5lib.ts FOLDER [--list]. bench/README.md says where the folder comes from.');
  process.exitCode = 1;
} else main(folder, option === '--list');
