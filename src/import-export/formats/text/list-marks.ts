import { quote } from '../row';

/** What people put before and after the lines of a list of questions, and how they mark the correct answer. */

/** The beginning of a line: a letter, a number, a bullet or a box. */
export interface ListMark {
  kind: 'letter' | 'number' | 'bullet' | 'box';
  /** From 0: the place that a letter or number names. */
  place: number;
  /** The characters around a letter or number, or the bullet itself: lists of one kind look the same. */
  style: string;
  /** The rest of the line. */
  text: string;
  /** Marked as correct in front of the letter or in the box. */
  isCorrect: boolean;
  /** The line is bold as a whole. */
  isBold?: boolean;
  /** Of a letter behind a bullet: what is behind the bullet. */
  listed?: string;
}

const BOX = /^(?:[-*+•]\s{1,4})?(?:\[([ xX✓✔]?)\]|([☐☑☒]))\s(.*)$/s;
const BULLET = /^([-*+•●○◉◯▪–—])\s+(.*)$/s;
/** "b) Rome", "(b) Rome", "B. Rome", "B: Rome", "b)Rome", "*b) Rome". */
const LETTER = /^(\*{0,2}|[✓✔✅]\s?)(\(?)([a-hA-H])(?:(\))\s*|([.:])(?:\s+|$))(.*)$/s;
const NUMBER = /^(\*{0,2}|[✓✔✅]\s?)(\(?)(\d{1,4})(?:([.)])(?:\s+|$)|(\))|(\.)(?=\p{L}))(.*)$/su;

/**
 * What is between the signs of a line that is bold as a whole. Between underscores these are several words: `__init__` is
 * a name, as programs have them, and `__ is the capital of __` and `__, then__` have gaps.
 */
export function insideBold(line: string): string | undefined {
  const [, sign, text = ''] = /^(\*\*|__)((?:(?!\1).)+)\1$/s.exec(line) ?? [];
  const areWords = /^["'„“(\p{L}\p{N}]/u.test(text) && /\s/.test(text) && /\S$/.test(text);
  return sign === '**' || (sign && areWords) ? text.trim() : undefined;
}

/** "**B)** Rome", "__2.__ Rome": only the letter or number is bold, which is no mark. */
const BOLD_LABEL = /^(\*\*|__)(\(?(?:[a-hA-H]|\d{1,4})[.):]\)?)\1\s*/;

/** The bold beginning of a line, "**B) Rome** (correct)", and what is behind it. In "**b) 2**3" two stars are a sign. */
const BOLD_START = /^((\*\*|__)(?:(?!\2).)+(?<!\s)\2)(?![\p{L}\p{N}])(.*)$/su;

/** The mark that a line begins with; null for plain text. `line` is trimmed. */
export function listMark(line: string): ListMark | null {
  if (BOLD_LABEL.test(line)) return listMark(line.replace(BOLD_LABEL, '$2 '));
  const [, bold = '', stars = '', behind = ''] = BOLD_START.exec(line) ?? [];
  const inside = insideBold(bold);
  if (inside !== undefined) {
    const found = listMark(inside);
    // A box says more than bold around it: "**[ ] Bonn**".
    if (found && found.kind !== 'bullet')
      return {
        ...found,
        // A cross within the bold text may belong to it.
        text: CROSS.test(behind) ? `${stars}${found.text}${stars}${behind}` : found.text + behind,
        isBold: true,
        isCorrect: found.kind !== 'box' || found.isCorrect,
      };
    if (!behind) return null;
  }
  const [, box, sign, boxed] = BOX.exec(line) ?? [];
  if (boxed !== undefined)
    return {
      kind: 'box',
      place: -1,
      style: '[]',
      text: boxed.trim(),
      isCorrect: sign ? sign !== '☐' : Boolean(box?.trim()),
    };
  const [, bullet, listed] = BULLET.exec(line) ?? [];
  if (bullet !== undefined && listed !== undefined) {
    const inner = BULLET.test(listed) ? null : listMark(listed);
    return inner?.kind === 'letter'
      ? { ...inner, style: `${bullet} ${inner.style}`, listed }
      : { kind: 'bullet', place: -1, style: bullet, text: listed.trim(), isCorrect: false };
  }
  const letter = LETTER.exec(line);
  if (letter) return lettered(letter);
  const number = NUMBER.exec(line);
  if (!number) return null;
  const [, star = '', open = '', digits = '', ...ends] = number;
  const text = ends.pop() ?? '';
  return {
    kind: 'number',
    place: Number(digits) - 1,
    style: `${open}1${ends.join('')}`,
    text: text.trim(),
    isCorrect: star !== '',
  };
}

const OPENING_QUOTE = /^["'“”„«‘]\s?/;

/** The mark of a line where no list is expected: an opening quotation mark does not hide it. */
export const strayMark = (line: string): ListMark | null =>
  listMark(line.replace(OPENING_QUOTE, ''));

function lettered([, star = '', open = '', name = '', ...ends]: RegExpExecArray): ListMark {
  const text = ends.pop() ?? '';
  const isUpper = name === name.toUpperCase();
  return {
    kind: 'letter',
    place: name.toUpperCase().charCodeAt(0) - 65,
    style: `${open}${isUpper ? 'A' : 'a'}${ends.join('')}`,
    text: text.trim(),
    isCorrect: star !== '',
  };
}

const BEFORE = /^(?:\*(?!\*)|[✓✔✅☑]|\[[✓✔]\])\s*/u;
const AFTER =
  /(?:(?<![*\\])\*|[✓✔✅☑]|\[[✓✔]\]|\((?:(?:correct|right)(?: answer)?|richtig|korrekt|richtige antwort|correcte?|bonne réponse|réponse correcte|vrai|correct[oa]|respuesta correcta|corrett?[oa]|resposta correta|risposta corretta|poprawn[ay]|poprawna odpowiedź)\)|\*(?:correct|right)\*|(?:<-{1,3}|←) ?(?:correct|right)?)$/iu;
/** Behind an answer, too: it says that it is not correct. */
const WRONG =
  /\s\((?:wrong|incorrect|(?:wrong|incorrect) answer|falsch|falsche antwort|faux|fausse|incorrecte|mauvaise réponse|réponse (?:incorrecte|fausse)|(?:respuesta )?incorrect[oa]|(?:resposta )?(?:errad|incorret)[oa]|errat[oa]|sbagliat[oa]|risposta (?:errata|sbagliata)|zła|błędn[ay]|(?:zła|błędna) odpowiedź)\)$/iu;
/** "(x) Rome", "Rome [x]", but neither "f(x)" nor "(x) + 1". */
const CROSS_BEFORE = /^(?:\[x\]|\(x\))(?=\s)(?!\s+[-+−*/=<>^·×÷]\s)/i;
const CROSS_AFTER = /(?<![-+−*/=<>^·×÷\s])\s+(?:\[x\]|\(x\))$/i;
/** Beside emphasis, a cross is no part of a formula. */
const CROSS = /^(?:\[x\]|\(x\))\s|\s(?:\[x\]|\(x\))$/i;
/** "f(x)", "[x]Rome": text, unless crosses mark other answers. */
const TIGHT_CROSS = /^(?:\[x\]|\(x\))(?![-+−*/=<>^·×÷\s])|(?<![-+−*/=<>^·×÷\s\\])(?:\[x\]|\(x\))$/i;

/** What is between the signs of an answer that is bold or italic as a whole. */
function insideEmphasis(text: string): string | undefined {
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

/** What the signs of an answer say. */
export interface MarkedAnswer {
  text: string;
  isCorrect: boolean;
  /** Bold or italic as a whole. */
  isEmphasized: boolean;
  isBold: boolean;
  /** Marked by something else than emphasis. */
  isSigned: boolean;
  /** The text without the crosses `(x)` or `[x]` beside it: either they mark the answer, or they belong to it. */
  uncrossed?: string;
  hasTightCross: boolean;
  /** The cross is beside the signs of bold or italic. */
  hasOuterCross: boolean;
  /** "(wrong)" is behind it. */
  isWrong: boolean;
}

/** A variation selector behind a tick or a box only makes it a coloured picture. */
export const plainTicks = (line: string): string => line.replace(/(?<=[✓✔☐☑☒])\uFE0F/gu, '');

/**
 * An answer without the signs that mark it as correct: `*`, a tick or a box with one before or behind it, "(correct)",
 * "*correct*" or an arrow behind it, bold or italic. A cross only marks it where nothing else marks an answer
 * ({@link settleMarks}). "(wrong)" behind an answer is left out. A backslash before a `*` or a cross makes it text.
 */
export function markedAnswer(text: string): MarkedAnswer {
  if (!A_SIGN.test(text)) return { ...NO_MARK, text: text.trim() };
  const whole = withoutEnd(text.trim(), WRONG);
  const isWrong = whole !== text.trim();
  const unsigned = withoutEnd(whole.replace(/^[✓✔✅☑]\s*/u, ''), AFTER);
  // The whole first: the last star of "*Rome*" is no sign of its own.
  for (const said of [whole, unsigned]) {
    const uncrossed = said.replace(CROSS, '').trim();
    const inner = insideEmphasis(uncrossed);
    if (inner === undefined) continue;
    const isCrossed = uncrossed !== said;
    return {
      text: isCrossed ? said : inner,
      isCorrect: true,
      isEmphasized: true,
      isBold: !/^\*(?!\*)/.test(uncrossed),
      isSigned: said !== whole,
      uncrossed: isCrossed ? inner : undefined,
      hasTightCross: false,
      hasOuterCross: isCrossed,
      isWrong,
    };
  }
  const rest = withoutEnd(whole.replace(BEFORE, ''), AFTER);
  const isEmphasis = whole.startsWith('*') && /(?<!\\)\*/.test(whole.slice(1));
  if (!rest || isEmphasis) return { ...NO_MARK, text: whole, isWrong };
  const uncrossed = withoutCross(rest);
  const isCrossed = uncrossed !== '' && uncrossed !== rest;
  const isSigned = rest !== whole;
  return {
    ...NO_MARK,
    text: unescaped(rest),
    isCorrect: isSigned,
    isSigned,
    uncrossed: isCrossed ? unescaped(uncrossed) : undefined,
    hasTightCross: !isCrossed && TIGHT_CROSS.test(rest),
    isWrong,
  };
}

/** Most answers have none, and looking for each kind takes long. */
const A_SIGN = /[*_✓✔✅☑([\\<←]/u;

const NO_MARK = {
  isCorrect: false,
  isEmphasized: false,
  isBold: false,
  isSigned: false,
  hasTightCross: false,
  hasOuterCross: false,
  isWrong: false,
};

const withoutCross = (text: string): string =>
  withoutEnd(text.replace(CROSS_BEFORE, ''), CROSS_AFTER);

/** A sign has few characters: an expression that looks for an end in all of a long line takes long. */
const withoutEnd = (text: string, sign: RegExp): string =>
  (text.slice(0, -60) + text.slice(-60).replace(sign, '')).trim();

const unescaped = (text: string): string =>
  text.replace(/^\\(?=\*|\[x\]|\(x\))/i, '').replace(/\\(?=(?:\*|\[x\]|\(x\))$)/i, '');

/**
 * Decides by all answers of a question which marks count, and sets what they say: bold on every answer is no mark, and
 * crosses at every answer are text. Other crosses mark theirs if nothing else marks an answer; beside another mark they
 * may be either, and so may a tight one beside them.
 * @param hasKey whether a line names the correct answers
 * @returns the error of marks that contradict each other
 */
export function settleMarks(answers: MarkedAnswer[], hasKey: boolean): string | undefined {
  if (answers.length > 1 && answers.every(({ isBold }) => isBold))
    for (const answer of answers) answer.isCorrect = answer.isSigned;
  const crossed = answers.filter(({ uncrossed }) => uncrossed !== undefined);
  const [first] = crossed;
  if (first && crossed.length < answers.length) {
    // Behind bold, a cross is a second mark of the same answer: "**Rome** (x)".
    const isMarked = ({ isCorrect, isSigned, hasOuterCross }: MarkedAnswer) =>
      isCorrect && (isSigned || !hasOuterCross);
    const hasMark = hasKey || answers.some(isMarked);
    const doubtful = hasMark ? first : answers.find(({ hasTightCross }) => hasTightCross);
    if (doubtful)
      return `the (x) or [x] at the answer ${quote(doubtful.text)} may be a mark, and another mark names the correct answer: remove one of them, or write "\\(x)" if it belongs to the text`;
    for (const answer of crossed) {
      answer.text = answer.uncrossed ?? '';
      answer.isCorrect = answer.isSigned = true;
    }
  }
  const correct = answers.filter(({ isCorrect }) => isCorrect);
  const wrong = correct.find(({ isWrong }) => isWrong);
  if (wrong)
    return `the answer ${quote(wrong.text)} is marked as correct and as wrong: remove one of these marks`;
  const both = correct.find(({ isSigned, isEmphasized }) => isSigned && isEmphasized);
  return both && !correct.every(({ isSigned }) => isSigned)
    ? `the answer ${quote(both.text)} has a sign beside bold or italics, which other answers have without it: mark the correct answers with the sign only`
    : undefined;
}

/** "Answer: B", "Correct: Rome", "Richtig: b", "Bonne réponse : C". */
const KEY =
  /^(?:the\s)?(?:(?:correct|right|richtige|korrekte|bonnes?|poprawn[ae]|prawidłow[ae])\s?)?(?:answers?|ans|correct|right|(?:correct|right)\s(?:option|choice)s?|key|solutions?|antwort(?:en)?|richtig|lösung(?:en)?|réponses?|respuestas?|soluci(?:ón|ones)|respostas?|solu(?:ção|ções)|gabarito|rispost[ae]|soluzion[ei]|odpowied(?:ź|zi)|rozwiązani[ea]|correct[ao]s?|corrett?[aeo]|corretas)(?:\s(?:correct[ea]?s?|corrett?[ae]|corretas|is))?\s?[:=]\s*(.*)$/is;

/** What a line says about the correct answer; undefined for another line. */
export function answerKey(line: string): string | undefined {
  const key = KEY.exec(line.replace(/^(\*\*|__|[*_])(.{1,40}?)\1/s, '$2'))?.[1]?.trim();
  return key && (insideEmphasis(key) ?? key);
}

const INLINE = /(?:^|\s)\(?([a-hA-H])\)\s?/g;

/**
 * Text with options in the same line: "Capital of Italy? a) Milan b) Rome *". The first element is the text before
 * them; null without at least `least` letters in order from `from`.
 */
export function inlineOptions(text: string, from = 0, least = 2): string[] | null {
  const parts: string[] = [];
  let start = 0;
  let due = from;
  for (const found of text.matchAll(INLINE)) {
    if ((found[1] ?? '').toUpperCase().charCodeAt(0) - 65 !== due) continue;
    parts.push(text.slice(start, found.index).trim());
    start = found.index + found[0].length;
    due += 1;
  }
  return due - from >= least ? [...parts, text.slice(start).trim()] : null;
}

/**
 * Whether several lines of one text are more than one question, or contain what marks an option or an answer. Such a
 * text is an error, so that no question swallows another.
 */
export function foreignLine(lines: readonly string[]): string | undefined {
  if (lines.length < 2) return undefined;
  let asked = 0;
  return lines.find((line) => {
    const said = line.trim();
    if (/\?(?: ?\*)?$/.test(said.slice(-4))) asked += 1;
    return strayMark(said) !== null || answerKey(said) !== undefined || asked > 1;
  });
}
