import { typeOf } from '../parsed-question';
import { type Bytes, type ErrorRow, type ImportRow, type ParsedRow, quote, sentence } from '../row';
import { letterOf } from '../text/letters';
import { strayMark } from '../text/list-marks';
import { LARGEST_ROW, textLines, tooLarge } from '../text/text-lines';
import { decodeText } from './opentriviaqa-text';

interface RawRow {
  line: number;
  /** In characters. */
  size: number;
  question: string[];
  /** One element for each "^" line; further lines of its text are appended. */
  correct: string[];
  options: { letter: string; text: string }[];
  letters: Set<string>;
  /** A line that may belong to another question. */
  foreign?: string;
  /** The part that an unmarked line would continue; none after a blank line. */
  continues: 'question' | 'correct' | 'option' | 'nothing';
}

// A missing space is obvious in "#QWhich"; "#Quiz" is a word.
const QUESTION = /^\s*#(?:Q(?!\p{Ll})|q(?=\s|$))(.*)$/su;
const CORRECT = /^\s*\^(.*)$/s;
// "A Paris", "a Paris", "A. Paris", "A) Paris", "AParis", "A1999" and a bare "A".
const OPTION = /^\s*([A-Za-z])(?:[.):](?=\s|$)|(?=\s|$|\p{Lu}\p{Ll}|\d))(.*)$/su;

/**
 * Reads OpenTriviaQA rows, one at a time: "#Q" and the question (which may span several lines), "^" and the correct
 * answer's text, then the options, each after its letter. The format has no explanations. Accepts any bytes: every
 * "#Q" gives exactly one row, a question or an error, and every run of lines outside of rows gives one error. The
 * texts contain no control characters. `line` is the line of the row's "#Q", or the first of the lines outside of rows.
 * @throws FileError if a question is larger than 1 MiB
 */
export async function* readOpenTriviaQa(bytes: Bytes): AsyncGenerator<ImportRow> {
  let row: RawRow | undefined;
  let stray = false;
  const latin1 = { decode: (piece: Buffer): string => piece.toString('latin1') };
  for await (const lines of textLines(bytes, latin1)) {
    for (const { line, text: raw } of lines) {
      const text = decodeText(Buffer.from(raw, 'latin1'));
      const start = QUESTION.exec(text);
      if (start) {
        if (row) yield finish(row);
        const question = [start[1] ?? ''];
        row = {
          line,
          size: text.length,
          question,
          correct: [],
          options: [],
          letters: new Set(),
          continues: 'question',
        };
        stray = false;
        continue;
      }
      if (row && (row.size += text.length + 1) > LARGEST_ROW) throw tooLarge(row.line);
      if (!row || !takes(row, text)) {
        if (row) yield finish(row);
        row = undefined;
        if (!stray && fold(text)) {
          stray = true;
          yield {
            line,
            error: `The line ${quote(text)} belongs to no question: begin one with "#Q".`,
          };
        }
      }
    }
  }
  if (row) yield finish(row);
}

/** Adds a line to the row; false if the line cannot belong to it. */
function takes(row: RawRow, text: string): boolean {
  const correct = CORRECT.exec(text)?.[1];
  if (correct !== undefined) {
    row.correct.push(correct);
    row.continues = 'correct';
    return true;
  }
  // Verse has lines such as "A man in black": before the "^" every line belongs to the question.
  if (row.continues === 'question') {
    row.question.push(text);
    return true;
  }
  const [, letter, option] = OPTION.exec(text) ?? [];
  if (letter !== undefined && option !== undefined && isNextOption(row, letter)) {
    const name = letter.toUpperCase();
    if (row.letters.has(name)) row.foreign ??= text;
    row.letters.add(name);
    row.options.push({ letter: name, text: option });
    row.continues = 'option';
  } else if (!fold(text)) {
    // A blank line may precede the options; after them it ends what can be continued.
    if (row.options.length) row.continues = 'nothing';
  } else if (row.continues === 'correct' && !row.options.length) {
    row.correct.push(`${row.correct.pop()} ${text}`);
  } else if (row.continues === 'option') {
    const last = row.options.at(-1);
    if (letter?.toUpperCase() === 'A' || strayMark(fold(text)) || fold(text).endsWith('?'))
      row.foreign ??= text;
    if (last) last.text += ` ${text}`;
  } else {
    return false;
  }
  return true;
}

/** The expected letter, in any case, or one that is not an English word by itself (not a, I, O). */
function isNextOption(row: RawRow, letter: string): boolean {
  const due = letterOf(row.options.length);
  return letter.toUpperCase() === due || /[B-H]/.test(letter);
}

function finish(row: RawRow): ParsedRow | ErrorRow {
  const text = row.question.map(fold).filter(Boolean).join('\n');
  const options = row.options.map((option) => ({ ...option, text: fold(option.text) }));
  const firstWith = new Map(options.map((option) => [option.text, option] as const).reverse());
  const correct = fold(row.correct[0] ?? '');
  // Two options may differ only in case: an equal one is preferred to a similar one.
  const meant = firstWith.has(correct)
    ? [correct]
    : [...firstWith.keys()].filter((text) => text.toLowerCase() === correct.toLowerCase());
  const errors: string[] = [];

  const foreign = row.foreign ?? optionsIn(row.question);
  if (foreign !== undefined)
    errors.push(
      `the line ${quote(foreign)} looks like a part of another question: begin each with "#Q", and put "^" before its options`,
    );
  if (!text) errors.push('the question has no text: write it after "#Q"');
  if (!row.correct.length) {
    errors.push(
      'no line names the correct answer: put one that begins with "^" before the options',
    );
  } else {
    if (row.correct.length > 1) errors.push('more than one line begins with "^": keep one');
    if (!correct) errors.push('no correct answer follows the "^": repeat one of the options there');
    if (options.length < 2) {
      errors.push(
        `at least two options are needed, not ${options.length}: add lines such as "A Paris"`,
      );
    }
    for (const [i, { letter, text }] of options.entries()) {
      const twin = firstWith.get(text);
      if (!text) errors.push(`option ${letter} is empty: write its text or remove the line`);
      else if (twin && twin !== options[i]) {
        errors.push(
          `options ${twin.letter} and ${letter} are both ${quote(text)}: change or remove one`,
        );
      }
    }
    if (correct && options.length && meant.length !== 1) {
      errors.push(
        `the correct answer ${quote(correct)} is ${meant.length ? 'more than one of' : 'not among'} the options: make it equal to one`,
      );
    }
  }
  if (errors.length) return { line: row.line, error: sentence(errors) };

  const answers = options.map(({ text }) => ({ text, isCorrect: text === meant[0] }));
  return {
    line: row.line,
    question: { text, type: typeOf(answers.map((answer) => answer.text)), answers },
  };
}

/** Options, or a second question, in the text of a question. Verse may have such lines ("A man in black"). */
function optionsIn(lines: readonly string[]): string | undefined {
  const listed = lines.find((line, place) => place > 0 && strayMark(fold(line)) !== null);
  if (listed !== undefined) return listed;
  const asks = lines.filter((line, place) => place > 0 && fold(line).endsWith('?'));
  const inOrder = (line: string, at: number) =>
    [/^\s*A[.)\s]/, /^\s*B[.)\s]/, /^\s*C[.)\s]/].every((mark, i) =>
      mark.test(lines[at + i] ?? line),
    );
  const options = lines.find((line, at) => at + 2 < lines.length && inOrder(line, at));
  if (options !== undefined) return options;
  return fold(lines[0] ?? '').endsWith('?') ? asks[0] : undefined;
}

function fold(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
