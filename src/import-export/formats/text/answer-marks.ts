import { quote } from '../row';
import { words } from '../words';

/**
 * What marks an answer. A `sign` (a star, a tick, a ticked box, "(correct)" or an arrow), `bold` and `italic` say that it
 * is correct. A `cross`, "(x)" or "[x]", may be a mark or text, and a `tight cross` as in "f(x)" is rather text. `wrong`
 * is "(wrong)" behind it.
 */
export type Mark = 'sign' | 'bold' | 'italic' | 'cross' | 'tight cross' | 'wrong';

export interface MarkedAnswer {
  /** Without its marks, but with a cross. */
  text: string;
  /** Without a cross, too. */
  uncrossed: string;
  /** The outermost first: `**Rome** (x)` has a cross and is bold, and `**b) f (x)**` is bold and has a cross. */
  marks: Mark[];
}

/** Whether an answer is marked as correct. A cross only counts after {@link settleMarks}. */
export const isMarked = ({ marks }: MarkedAnswer): boolean => marks.some(saysCorrect);
const saysCorrect = (mark: Mark | undefined): boolean =>
  mark === 'sign' || mark === 'bold' || mark === 'italic';

/**
 * Decides by all answers of a question which marks count:
 * 1. What every answer has marks none: bold, or a cross.
 * 2. Signs, bold and italics count. A cross beside them, or beside a line that names the correct answer, is an error.
 * 3. Where there is nothing else, crosses count, as if they were signs. A tight one beside them is an error.
 *
 * In "**Rome** (x)" the cross is the mark, and bold may only repeat it.
 * @param hasKey whether a line names the correct answers
 * @returns the error of marks that contradict each other
 */
export function settleMarks(answers: MarkedAnswer[], hasKey: boolean): string | undefined {
  for (const mark of ['bold', 'cross'] as const)
    if (answers.every(({ marks }) => marks.includes(mark)))
      for (const answer of answers) answer.marks = answer.marks.filter((each) => each !== mark);
  const crossed = answers.filter(({ marks }) => marks.includes('cross'));
  if (crossed.length > 0) {
    const isNamed = hasKey || answers.some(({ marks: [outermost] }) => saysCorrect(outermost));
    const isTight = ({ marks }: MarkedAnswer) => marks.includes('tight cross');
    const doubtful = isNamed ? crossed[0] : answers.find(isTight);
    if (doubtful)
      return `the (x) or [x] at the answer ${quote(doubtful.text)} may be a mark, and another mark names the correct answer: remove one of them, or write "\\(x)" if it belongs to the text`;
    for (const answer of crossed) {
      answer.text = answer.uncrossed;
      answer.marks.unshift('sign');
    }
  }
  const correct = answers.filter(isMarked);
  const wrong = correct.find(({ marks }) => marks.includes('wrong'));
  if (wrong)
    return `the answer ${quote(wrong.text)} is marked as correct and as wrong: remove one of these marks`;
  const isSigned = ({ marks }: MarkedAnswer) => marks.includes('sign');
  const both = correct.find((answer) => isSigned(answer) && isEmphasized(answer));
  return both && !correct.every(isSigned)
    ? `the answer ${quote(both.text)} has a sign beside bold or italics, which other answers have without it: mark the correct answers with the sign only`
    : undefined;
}

const isEmphasis = (mark: Mark): boolean => mark === 'bold' || mark === 'italic';
const isEmphasized = ({ marks }: MarkedAnswer): boolean => marks.some(isEmphasis);

/** Where something clearer names the correct answer, bold and italics are no marks. */
export function ignoreEmphasis(answer: MarkedAnswer): void {
  answer.marks = answer.marks.filter((mark) => !isEmphasis(mark));
}

/**
 * An answer without its marks: `*`, a tick or a box with one before or behind it, "(correct)", "*correct*" or an arrow
 * behind it, bold or italic. A backslash before a `*` or a cross makes it text.
 */
export function markedAnswer(written: string): MarkedAnswer {
  const whole = written.trim();
  if (!A_SIGN.test(whole)) return { text: whole, uncrossed: whole, marks: [] };
  const said = withoutEnd(whole, WRONG);
  const answer = signedAnswer(said);
  if (said !== whole) answer.marks.push('wrong');
  return answer;
}

/** Most answers have none, and looking for each kind takes long. */
const A_SIGN = /[*_✓✔✅☑([\\<←]/u;

function signedAnswer(said: string): MarkedAnswer {
  // As a whole first: the last star of "*Rome*" is no sign of its own.
  const emphasized = emphasizedAnswer(said);
  if (emphasized) return emphasized;
  const unsigned = withoutEnd(said.replace(/^[✓✔✅☑]\s*/u, ''), AFTER);
  const inside = emphasizedAnswer(unsigned);
  if (inside) return { ...inside, marks: ['sign', ...inside.marks] };
  const text = withoutEnd(said.replace(BEFORE, ''), AFTER);
  const hasEmphasis = said.startsWith('*') && /(?<!\\)\*/.test(said.slice(1));
  if (!text || hasEmphasis) return { text: said, uncrossed: said, marks: [] };
  const marks: Mark[] = text === said ? [] : ['sign'];
  const uncrossed = withoutEnd(text.replace(CROSS_BEFORE, ''), CROSS_AFTER) || text;
  if (uncrossed !== text) marks.push('cross');
  else if (TIGHT_CROSS.test(text)) marks.push('tight cross');
  return { text: unescaped(text), uncrossed: unescaped(uncrossed), marks };
}

/** An answer that is bold or italic as a whole; a cross may stand beside it. */
function emphasizedAnswer(said: string): MarkedAnswer | undefined {
  const bare = said.replace(CROSS, '').trim();
  const uncrossed = insideEmphasis(bare);
  if (uncrossed === undefined) return undefined;
  const emphasis = /^\*(?!\*)/.test(bare) ? 'italic' : 'bold';
  return bare === said
    ? { text: uncrossed, uncrossed, marks: [emphasis] }
    : { text: said, uncrossed, marks: ['cross', emphasis] };
}

const BEFORE = /^(?:\*(?!\*)|[✓✔✅☑]|\[[✓✔]\])\s*/u;
const [CORRECT, ANSWER] = [words('correct', 'right'), words('answer')];
const AFTER = new RegExp(
  String.raw`(?:(?<![*\\])\*|[✓✔✅☑]|\[[✓✔]\]|\((?:${CORRECT}(?: ${ANSWER})?|${ANSWER} ${CORRECT}|vrai)\)|\*(?:correct|right)\*|(?:<-{1,3}|←) ?(?:correct|right)?)$`,
  'iu',
);
/** Behind an answer, too: it says that it is not correct. */
const WRONG = new RegExp(
  String.raw`\s\((?:${words('wrong')}(?: ${ANSWER})?|${ANSWER} ${words('wrong')}|faux)\)$`,
  'iu',
);
/** "(x) Rome", "Rome [x]", but neither "f(x)" nor "(x) + 1". */
const CROSS_BEFORE = /^(?:\[x\]|\(x\))(?=\s)(?!\s+[-+−*/=<>^·×÷]\s)/i;
const CROSS_AFTER = /(?<![-+−*/=<>^·×÷\s])\s+(?:\[x\]|\(x\))$/i;
/** Beside emphasis, a cross is no part of a formula. */
export const CROSS = /^(?:\[x\]|\(x\))\s|\s(?:\[x\]|\(x\))$/i;
/** "f(x)", "[x]Rome": text, unless crosses mark other answers. */
const TIGHT_CROSS = /^(?:\[x\]|\(x\))(?![-+−*/=<>^·×÷\s])|(?<![-+−*/=<>^·×÷\s\\])(?:\[x\]|\(x\))$/i;

/**
 * What is between the signs of a line that is bold as a whole. Between underscores these are several words: `__init__` is
 * a name, as programs have them, and `__ is the capital of __` and `__, then__` have gaps.
 */
export function insideBold(line: string): string | undefined {
  const [, sign, text = ''] = /^(\*\*|__)((?:(?!\1).)+)\1$/s.exec(line) ?? [];
  const areWords = /^["'„“(\p{L}\p{N}]/u.test(text) && /\s/.test(text) && /\S$/.test(text);
  return sign === '**' || (sign && areWords) ? text.trim() : undefined;
}

/** What is between the signs of an answer that is bold or italic as a whole. */
export function insideEmphasis(text: string): string | undefined {
  const whole = text.trim();
  if (whole.endsWith('\\*')) return undefined;
  const bold = insideBold(whole);
  if (bold !== undefined || whole.startsWith('__')) return bold;
  const sign = ['***', '*'].find(
    (it) => whole.length > 2 * it.length && whole.startsWith(it) && whole.endsWith(it),
  );
  const inner = sign && whole.slice(sign.length, -sign.length);
  return inner && !inner.includes('*') ? inner.trim() : undefined;
}

/** A sign has few characters: an expression that looks for an end in all of a long line takes long. */
const withoutEnd = (text: string, sign: RegExp): string =>
  (text.slice(0, -60) + text.slice(-60).replace(sign, '')).trim();

const unescaped = (text: string): string =>
  text.replace(/^\\(?=\*|\[x\]|\(x\))/i, '').replace(/\\(?=(?:\*|\[x\]|\(x\))$)/i, '');
