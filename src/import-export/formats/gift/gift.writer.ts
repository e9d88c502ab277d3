import type { QuestionFormat, QuestionType } from '../../../catalog/vocabulary';
import { questionMetadata, quizMetadata, visibleLines } from '../metadata';
import { shortAnswerPattern } from '../moodle-terms';
import { withEmbedded } from '../pictures';
import type { ExportedQuiz, ImportedQuestion } from '../row';
import { inert } from '../text/inert-markdown';

/** A comment at the top with what GIFT cannot express about a quiz, then the category and the questions. */
export function* writeGift(quiz: ExportedQuiz): Generator<string> {
  yield `// ${quizMetadata(quiz)}\n\n`;
  // The rest of the line is the category, unchanged; a slash would begin another one.
  const category = (quiz.category ?? '').replace(/[\r\n]+/g, ' ').replaceAll('/', '//');
  if (category) yield `$CATEGORY: ${category}\n\n`;
  for (const question of quiz.questions) yield block(withEmbedded(question, quiz.pictures));
}

function block(question: ImportedQuestion): string {
  const { text, type, answers, explanation, format = 'plain' } = question;
  const shown = (part: string) => inert(part, format);
  const rich = (part: string) => richIn(part, format);
  // Moodle compares a short answer as it is, and shows it as text.
  const answered = type === 'OPEN_ENDED' ? shortAnswerPattern : shown;
  const natural = naturalType(question);
  const general = explanation ? `\t####${rich(shown(explanation))}\n` : '';
  const comment = `// ${questionMetadata(question, natural, visibleLines)}\n`;
  const stem = `[${format}]${escapeGift(shown(text))}`;
  if (natural === 'TRUE_FALSE')
    return `${comment}${stem}{${answers[0]?.isCorrect ? 'TRUE' : 'FALSE'}\n${general}}\n\n`;
  const lines = answers.map(
    (answer) => `\t${mark(question, answer)}${rich(answered(answer.text))}\n`,
  );
  return `${comment}${stem} {\n${lines.join('')}${general}}\n\n`;
}

/**
 * The type that a reader would recognise. {TRUE} has two fixed answers; other words for them need a choice of two.
 * Accepted answers with an arrow look like a matching question.
 */
function naturalType({ type, answers }: ImportedQuestion): QuestionType | undefined {
  if (type === 'OPEN_ENDED')
    return answers.some(({ text }) => text.includes('->')) ? undefined : type;
  const isOwn = answers[0]?.text === 'True' && answers[1]?.text === 'False';
  return type === 'TRUE_FALSE' && isOwn ? 'TRUE_FALSE' : 'MULTIPLE_CHOICE';
}

function mark(question: ImportedQuestion, { isCorrect }: { isCorrect: boolean }): string {
  if (question.type === 'OPEN_ENDED') return isCorrect ? '=' : '=%0%';
  const correct = question.answers.filter((answer) => answer.isCorrect).length;
  if (correct === 1) return isCorrect ? '=' : '~';
  return isCorrect ? `~%${share(correct)}%` : '~';
}

/** Percent of one of `count` correct answers, as Moodle writes it: 33.33333 */
export function share(count: number): string {
  return String(Number((100 / count).toFixed(5)));
}

/** A text that begins like a format marker states its own format first. */
function richIn(text: string, format: QuestionFormat): string {
  return `${/^[[%]/.test(text) ? `[${format}]` : ''}${escapeGift(text)}`;
}

/**
 * GIFT's special characters. The parser (gift-pegjs) keeps its escapes as "&&092;" within the text, folds white
 * space, and sees a matching pair in every "->"; so text that must not change passes through it as characters of a
 * private Unicode plane, and is restored afterwards.
 */
const ESCAPED = /\\([\\:#={}~n])/g;
const FIRST = 0xf0000;
const STAND_INS = /[\u{F0000}-\u{10FFFF}]/gu;
/** White space within a text, except single blanks; not what separates parts of the format. */
const WIDE = /(?<=[^=~#{}:\s])(?! (?!\s))[^\S\r\n]+(?=[^=~#{}:\s])/g;
const LIKE_THE_PARSERS_ESCAPES = /&&(?=\d{3})/g;
const ARROW = /->/g;
/** An answer, or feedback after `#`: its sign, and what follows up to the next one. */
const SIGNED = /(\{\s*#|[=~#])([^=~#]*)/g;
/** What follows the sign of a numeric answer: its weight, its number, and the rest. */
const WEIGHED_NUMBER = /^\s*(?:(%[^%]*%)\s*)?([-+]?\d+(?:\.\d+)?)(.*)$/s;
/** What follows the number, if it is the first of a range: the sign between both, and the other one. */
const RANGE = /^\s*(:|\.\.)\s*([-+]?\d.*)$/s;
const COLON = /:/g;
/** The title, the question, the answers, and what follows them. */
const PARTS = /^(\s*(?:::.*?::)?)([^{]*)(\{[^}]*\})?(.*)$/s;

function escapeGift(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(/[\\:#={}~]/g, '\\$&')
    .replaceAll('\n', '\\n');
}

/** The text of one question, ready for the parser, and a function that restores its results. */
export class ProtectedText {
  readonly text: string;
  private readonly originals: string[] = [];
  private readonly places = new Map<string, number>();

  /** `isMatching`: whether an arrow may be a sign. */
  constructor(block: string, isMatching: boolean) {
    const text = block
      .replace(STAND_INS, (char) => this.standIn(char))
      .replace(ESCAPED, (_, char: string) => this.standIn(char === 'n' ? '\n' : char))
      .replace(LIKE_THE_PARSERS_ESCAPES, (found) => this.standIn(found))
      .replace(WIDE, (space) => this.standIn(space))
      // The parser needs these escaped everywhere, Moodle only where they would be markers: "1+1=2 {T}".
      .replace(
        PARTS,
        (_, title: string, stem: string, answers: string | undefined, tail: string) => {
          const isNumber = /^\{\s*#/.test(answers ?? '');
          const inner = isNumber ? this.numeric(answers ?? '') : this.plain(answers ?? '', COLON);
          return `${title}${this.plain(stem, /[:=~#]/g)}${inner}${this.plain(tail, /[:=~#]/g)}`;
        },
      );
    this.text = isMatching ? text : this.plain(text, ARROW);
  }

  private plain(text: string, signs: RegExp): string {
    return text.replace(signs, (sign) => this.standIn(sign));
  }

  /** Moodle ignores blanks around the parts of a numeric answer; a colon of feedback is text. */
  private numeric(answers: string): string {
    return answers.replace(SIGNED, (_, sign: string, said: string) => {
      const found = sign === '#' ? null : WEIGHED_NUMBER.exec(said);
      if (!found) return sign + this.plain(said, COLON);
      const [, weight = '', number = '', rest = ''] = found;
      const [, between = '', other = rest] = RANGE.exec(rest) ?? [];
      return sign + weight + number + between + this.plain(other, COLON);
    });
  }

  restore(text: string): string {
    return text.replace(
      STAND_INS,
      (char) => this.originals[(char.codePointAt(0) ?? FIRST) - FIRST] ?? char,
    );
  }

  private standIn(original: string): string {
    let place = this.places.get(original);
    if (place === undefined) {
      place = this.originals.push(original) - 1;
      this.places.set(original, place);
    }
    return String.fromCodePoint(FIRST + place);
  }
}
