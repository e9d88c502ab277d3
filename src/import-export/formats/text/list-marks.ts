import { words } from '../words';
import { CROSS, insideBold, insideEmphasis, type Mark } from './answer-marks';

/** What people put before and after the lines of a list of questions. */

/** The beginning of a line: a letter, a number, a bullet or a box. */
export interface ListMark {
  kind: 'letter' | 'number' | 'bullet' | 'box';
  /** From 0: the place that a letter or number names. */
  place: number;
  /** The characters around a letter or number, or the bullet itself: lists of one kind look the same. */
  style: string;
  /** The rest of the line. */
  text: string;
  /** What marks the line as a whole: a sign in front of its letter, or bold. */
  marks: Mark[];
  /** Of a box. */
  isTicked?: boolean;
  /** Of a letter behind a bullet: what is behind the bullet. */
  listed?: string;
}

const BOX = /^(?:[-*+•]\s{1,4})?(?:\[([ xX✓✔]?)\]|([☐☑☒]))\s(.*)$/s;
const BULLET = /^([-*+•●○◉◯▪–—])\s+(.*)$/s;
/** "b) Rome", "(b) Rome", "B. Rome", "B: Rome", "b)Rome", "*b) Rome". */
const LETTER = /^(\*{0,2}|[✓✔✅]\s?)(\(?)([a-hA-H])(?:(\))\s*|([.:])(?:\s+|$))(.*)$/s;
const NUMBER = /^(\*{0,2}|[✓✔✅]\s?)(\(?)(\d{1,4})(?:([.)])(?:\s+|$)|(\))|(\.)(?=\p{L}))(.*)$/su;

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
    if (found && found.kind !== 'bullet') {
      // Behind bold a cross is a mark, and within it may belong to the text.
      if (CROSS.test(behind)) return { ...found, text: `${stars}${found.text}${stars}${behind}` };
      // A box says more than bold around it: "**[ ] Bonn**".
      const marks: Mark[] = found.kind === 'box' ? [] : ['bold', ...found.marks];
      return { ...found, text: found.text + behind, marks };
    }
    if (!behind) return null;
  }
  const [, box, sign, boxed] = BOX.exec(line) ?? [];
  if (boxed !== undefined) {
    const isTicked = sign ? sign !== '☐' : Boolean(box?.trim());
    return { kind: 'box', place: -1, style: '[]', text: boxed.trim(), marks: [], isTicked };
  }
  const [, bullet, listed] = BULLET.exec(line) ?? [];
  if (bullet !== undefined && listed !== undefined) {
    const inner = BULLET.test(listed) ? null : listMark(listed);
    return inner?.kind === 'letter'
      ? { ...inner, style: `${bullet} ${inner.style}`, listed }
      : { kind: 'bullet', place: -1, style: bullet, text: listed.trim(), marks: [] };
  }
  const letter = LETTER.exec(line);
  const [, star, open = '', name = '', ...ends] = letter ?? NUMBER.exec(line) ?? [];
  const text = ends.pop();
  if (text === undefined) return null;
  const upper = name.toUpperCase();
  const first = letter ? (name === upper ? 'A' : 'a') : '1';
  return {
    kind: letter ? 'letter' : 'number',
    place: letter ? upper.charCodeAt(0) - 65 : Number(name) - 1,
    style: `${open}${first}${ends.join('')}`,
    text: text.trim(),
    marks: star ? ['sign'] : [],
  };
}

const OPENING_QUOTE = /^["'“”„«‘]\s?/;

/** The mark of a line where no list is expected: an opening quotation mark does not hide it. */
export const strayMark = (line: string): ListMark | null =>
  listMark(line.replace(OPENING_QUOTE, ''));

/** A variation selector behind a tick or a box only makes it a coloured picture. */
export const plainTicks = (line: string): string => line.replace(/(?<=[✓✔☐☑☒])\uFE0F/gu, '');

/** "Answer: B", "Correct: Rome", "Richtig: b", "Bonne réponse : C". */
const CORRECT = words('correct', 'right');
const NAMED = `${CORRECT}?\\s?(?:${words('answer', 'answers', 'solution', 'solutions')}|ans)`;
const KEY = new RegExp(
  String.raw`^(?:the\s)?(?:${NAMED}|${CORRECT}(?:\s${words('option', 'options')})?)(?:\s(?:${CORRECT}|is))?\s?[:=]\s*(.*)$`,
  'is',
);

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
