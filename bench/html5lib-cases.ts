// Reads the cases of html5lib-tests' tree construction: HTML, and the tree that the HTML standard makes of it.
import { readFileSync, globSync } from 'node:fs';
import path from 'node:path';

export interface TreeCase {
  /** File and number within it, such as `tests1.dat:7`. */
  readonly id: string;
  readonly html: string;
  /** What the case needs and the parser does not have; undefined if the parser can run it. */
  readonly needs: 'a fragment' | 'scripts' | undefined;
  readonly expected: readonly TreeNode[];
}

/** A text is a string. Comments and document types are elements named `#comment` and `#doctype`. */
export type TreeNode = TreeElement | string;

export interface TreeElement {
  readonly name: string;
  /** Sorted by name. */
  readonly attributes: readonly (readonly [name: string, value: string])[];
  readonly children: readonly TreeNode[];
}

export function readCases(folder: string): readonly TreeCase[] {
  const files = globSync('**/*.dat', { cwd: folder }).toSorted();
  return files.flatMap((file) => casesOf(file, readFileSync(path.join(folder, file), 'utf8')));
}

function casesOf(file: string, content: string): TreeCase[] {
  const cases = `\n${content}`.split(/\n#data\n/).slice(1);
  return cases.map((text, index) => {
    const html = /^([^]*?)\n?#errors\n/.exec(text)?.[1] ?? '';
    const sections = text.slice(html.length);
    const needsScripts =
      file.startsWith('scripted') || file.includes('/scripted') || sections.includes('\n#script-on\n');
    const isFragment = sections.includes('\n#document-fragment\n');
    return {
      id: `${file}:${index + 1}`,
      html,
      needs: isFragment ? 'a fragment' : needsScripts ? 'scripts' : undefined,
      expected: treeOf(/\n#document\n([^]*)$/.exec(sections)?.[1] ?? ''),
    };
  });
}

interface Growing {
  readonly name: string;
  readonly attributes: (readonly [name: string, value: string])[];
  readonly children: (Growing | string)[];
}

/** Each line is one node, indented by two spaces a level. A quoted text can have line ends. */
function treeOf(dump: string): readonly TreeNode[] {
  const root: Growing = { name: '#root', attributes: [], children: [] };
  const open = [root];
  for (const [, indent = '', line = ''] of dump.matchAll(/^\| ( *)([^]*?)(?=\n\| |\n*$(?![^]))/gm)) {
    const depth = indent.length / 2;
    const parent = open[depth] ?? root;
    const attribute = line.endsWith('>') ? null : /^([^]*?)="([^]*)"$/.exec(line);
    if (line.startsWith('"')) parent.children.push(line.slice(1, -1));
    else if (attribute !== null) parent.attributes.push([attribute[1] ?? '', attribute[2] ?? '']);
    else {
      const element: Growing = nodeOf(line);
      parent.children.push(element);
      open[depth + 1] = element;
    }
  }
  return root.children;
}

function nodeOf(line: string): Growing {
  if (line.startsWith('<!--')) return { name: '#comment', attributes: [], children: [line.slice(5, -4)] };
  if (line.startsWith('<!')) return { name: '#doctype', attributes: [], children: [line] };
  return { name: line.startsWith('<') ? line.slice(1, -1) : `#${line}`, attributes: [], children: [] };
}
