// What a proof prints of each of its claims; the program exits with 1 when one does not hold.

export interface Checks {
  check(what: string, holds: boolean): void;
  /** Lists what only one side has, the first 20 of each. `about` is printed behind a URL, to find it again. */
  checkSame(what: string, expected: Iterable<string>, actual: Iterable<string>, about?: (url: string) => string): void;
  /** Says how it went, and sets the exit code. */
  conclude(): void;
}

export function createChecks(): Checks {
  let disagreements = 0;

  function check(what: string, holds: boolean): void {
    if (!holds) disagreements++;
    console.log(`${holds ? 'ok       ' : 'NOT SO   '} ${what}`);
  }

  return {
    check,
    checkSame(what, expected, actual, about = () => '') {
      const expectedSet = new Set(expected);
      const actualSet = new Set(actual);
      const missing = [...expectedSet].filter((url) => !actualSet.has(url));
      const extra = [...actualSet].filter((url) => !expectedSet.has(url));
      list('Missing', missing, about);
      list('Extra', extra, about);
      check(what, missing.length === 0 && extra.length === 0);
    },
    conclude() {
      console.log(disagreements === 0 ? 'All agree.' : `${disagreements} disagreements.`);
      process.exitCode = disagreements === 0 ? 0 : 1;
    },
  };
}

export function list(heading: string, urls: readonly string[], about: (url: string) => string): void {
  for (const url of urls.slice(0, listedMax)) console.log(`${heading.padEnd(9)} ${url} ${about(url)}`.trimEnd());
  if (urls.length > listedMax) console.log(`${heading.padEnd(9)} ... ${urls.length} in all`);
}

const listedMax = 20;
