/**
 * Chooses the separator between two pieces of Markdown when the text between them is removed, so that both keep their
 * meaning.
 */

const word = /[\p{L}\p{N}]/u;
const spaceless =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const punctuation = /[\p{P}\p{S}]/u;

export interface Joint {
  /** Text before and after the removed piece. A few characters are enough, but more than one run of a mark. */
  readonly before: string;
  readonly after: string;
  /** Characters that originally stood after `before` (`wasAfter`) and before `after` (`wasBefore`). */
  readonly wasBefore: string;
  readonly wasAfter: string;
  /** One link ended here and another begins, so two words stay two. */
  readonly areLinks: boolean;
}

/** Returns '', a space or a backslash. */
export function separator({ before, after, wasBefore, wasAfter, areLinks }: Joint): '' | ' ' | '\\' {
  const last = before.at(-1) ?? '';
  const first = after.at(0) ?? '';
  if (last === '' || first === '' || /\s/.test(last) || /\s/.test(first)) return '';
  const isEscaped = before.at(-2) === '\\' && (/\\+$/.exec(before.slice(0, -1))?.[0].length ?? 0) % 2 === 1;
  if (!isEscaped) {
    if (last === '`' && first === '`') return ' ';
    if (last === ']' && (first === '(' || first === ':')) return '\\';
    if (last === '!' && first === '[') return ' ';
    if (last === '<' && /[A-Za-z/!?]/.test(first)) return ' ';
    if (before.includes('&') && /&#?\w{0,31}$/.test(before) && /^#?\w{0,31};/.test(after)) return ' ';
  }
  const mark = delimiterJoint(before, after, wasBefore, wasAfter, isEscaped);
  if (mark !== '') return mark;
  if (!areLinks) return '';
  return word.test(last) && word.test(first) && !spaceless.test(last) && !spaceless.test(first) ? ' ' : '';
}

/** Returns a separator if a run of `*`, `_` or `~` would otherwise lose its role as a delimiter, or gain one. */
function delimiterJoint(
  before: string,
  after: string,
  wasBefore: string,
  wasAfter: string,
  isEscaped: boolean,
): '' | ' ' | '\\' {
  const left = isEscaped || !isMark(before.at(-1)) ? undefined : /([*_~])\1*$/.exec(before);
  const right = isMark(after[0]) ? /^([*_~])\1*/.exec(after) : undefined;
  if (left && right) {
    const inner = flanks(right[0], wasBefore, after.at(right[0].length) ?? '');
    const outer = flanks(left[0], left.index === 0 ? '' : (before.at(left.index - 1) ?? ''), wasAfter);
    // Nested marks stay adjacent. A closing and an opening run would merge into one.
    const areNested =
      outer.canOpen !== outer.canClose && outer.canOpen === inner.canOpen && outer.canClose === inner.canClose;
    return areNested ? '' : ' ';
  }
  if (left) {
    const beyond = before.at(left.index - 1) ?? '';
    const was = flanks(left[0], left.index === 0 ? '' : beyond, wasAfter);
    const is = flanks(left[0], left.index === 0 ? '' : beyond, after.at(0) ?? '');
    // Marks at the end of a link's text cannot have opened anything.
    const hasClosed = wasAfter === ']' && was.canClose;
    return isLost(was, is) || isNew(was, is) || (hasClosed && !is.canClose) ? ' ' : '';
  }
  if (right) {
    const beyond = after.at(right[0].length) ?? '';
    const was = flanks(right[0], wasBefore, beyond);
    const is = flanks(right[0], before.at(-1) ?? '', beyond);
    if (isNew(was, is)) return right[0].length === 1 ? '\\' : ' ';
    const hasOpened = wasBefore === '[' && was.canOpen;
    return isLost(was, is) || (hasOpened && !is.canOpen) ? ' ' : '';
  }
  return '';
}

function isMark(character: string | undefined): boolean {
  return character === '*' || character === '_' || character === '~';
}

interface Flanks {
  readonly canOpen: boolean;
  readonly canClose: boolean;
}

/** Returns true if a mark that was plain text would become a delimiter. */
function isNew(was: Flanks, is: Flanks): boolean {
  return !was.canOpen && !was.canClose && (is.canOpen || is.canClose);
}

/**
 * Returns true if the run can no longer do what it did. For a run that could open and close, its use is unknown here.
 */
function isLost(was: Flanks, is: Flanks): boolean {
  if (was.canOpen && was.canClose) return !is.canOpen && !is.canClose;
  return (was.canOpen && !is.canOpen) || (was.canClose && !is.canClose);
}

/** CommonMark 6.2. */
function flanks(run: string, before: string, after: string): Flanks {
  const [spaceBefore, spaceAfter] = [isSpace(before), isSpace(after)];
  const [markBefore, markAfter] = [punctuation.test(before), punctuation.test(after)];
  const isLeft = !spaceAfter && (!markAfter || spaceBefore || markBefore);
  const isRight = !spaceBefore && (!markBefore || spaceAfter || markAfter);
  if (!run.startsWith('_')) return { canOpen: isLeft, canClose: isRight };
  return { canOpen: isLeft && (!isRight || markBefore), canClose: isRight && (!isLeft || markAfter) };
}

function isSpace(character: string): boolean {
  return character === '' || /\s/.test(character);
}
