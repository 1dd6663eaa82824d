import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { ExitError, exitCodes } from '../../core/errors.ts';

/** Prints a document that comes with the program: a topic such as `browser`, or as a message names it, `docs/browser.md#x`. */
export async function runDocs(topic: string | undefined): Promise<number> {
  const root = packageRoot(import.meta.dirname);
  const files = documentsIn(root);
  if (topic === undefined) {
    const names = [...files.keys()].filter((name) => !name.startsWith('decisions/'));
    const width = Math.max(...names.map((name) => name.length));
    const lines = names.map((name) => `${name.padEnd(width)}  ${titleOf(files.get(name) ?? '')}`);
    process.stdout.write(`${lines.join('\n')}\n`);
    return exitCodes.done;
  }
  const [name = ''] = topic.replace(/^(?:\.\/)?(?:docs\/)?/u, '').split('#');
  const file = files.get(name.replace(/\.md$/iu, '').toLowerCase());
  if (file === undefined)
    throw new ExitError(exitCodes.usage, `There is no document ${JSON.stringify(topic)}. \`hayrake docs\` lists them.`);
  process.stdout.write(readFileSync(file, 'utf8'));
  return exitCodes.done;
}

/** The directory with `package.json`: of the sources as of the published package. */
function packageRoot(directory: string): string {
  return existsSync(path.join(directory, 'package.json')) ? directory : packageRoot(path.dirname(directory));
}

/** Files by topic. */
function documentsIn(root: string): ReadonlyMap<string, string> {
  const ofRoot = ['README.md', 'CHANGELOG.md', 'RELIABILITY.md', 'SECURITY.md'].filter((name) =>
    existsSync(path.join(root, name)),
  );
  const ofDocs = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && name !== 'README.md')
    .toSorted();
  const files = [...ofRoot, ...ofDocs.map((name) => path.join('docs', name))];
  const topicOf = (name: string): string =>
    name
      .replace(/^docs[/\\]/u, '')
      .replaceAll('\\', '/')
      .replace(/\.md$/u, '')
      .toLowerCase();
  return new Map(files.map((name) => [topicOf(name), path.join(root, name)]));
}

function titleOf(file: string): string {
  return /^# (.+)$/mu.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
}
