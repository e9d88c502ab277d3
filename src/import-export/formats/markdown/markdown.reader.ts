import type { AnswerInput } from '../../../authoring/questions/question.rules';
import { LIMITS } from '../../../platform/limits/limits';
import { byAnything, truthOf } from '../answer-key';
import { rowOf } from '../parsed-question';
import { type Bytes, type ImportRow, type QuizOfRow, quote } from '../row';
import { TextDecoding } from '../text/text-decoding';
import { LARGEST_ROW, textLines, tooLarge } from '../text/text-lines';

const HEADING = /^#{1,6}\s(.*)$/s;
const NUMBERED = /^\d{1,4}[.)]\s(.*)$/s;
const NAMED = /^(?:question|q)\s?\d{0,4}\s?[.:)-]?\s?(.*)$/is;
const BOX = /^(?:[-*+]\s{1,4})?\[([ xX✓✔])\]\s(.*)$/s;
const BULLET = /^([-*+])\s(.*)$/s;
const LETTER = /^(\*?)\(?[a-hA-H][.)]\s(.*)$/s;
const ANSWER = /^(?:correct )?answers?\s?:(.*)$/is;
const EXPLANATION = /^(?:>|explanation\s?:)(.*)$/is;
/** After an answer. */
const CORRECT = /(?:✓|✔|✅|\((?:correct|right)\)|\*(?:correct|right)\*)$/iu;

const MOST = LIMITS.content.answersPerQuestion.value;

interface Draft {
  line: number;
  size: number;
  text: string[];
  /** Whether a number or a heading says that it is a question. */
  isMarked: boolean;
  options: (AnswerInput & { bullet: string })[];
  keys: string[];
  explanation: string[];
}

/**
 * Reads lists in Markdown: a heading is the title of a quiz, a numbered line (or a paragraph before a list) a question,
 * and its list the answers, the correct ones as `- [x]`, as `*` among `-`, in bold, or with `(correct)` behind; or a line
 * `Answer: B`. Without a list, `Answer:` lines are what is accepted. `>` begins an explanation.
 */
export async function* readMarkdown(bytes: Bytes): AsyncGenerator<ImportRow> {
  const decoding = new TextDecoding();
  let quiz: QuizOfRow | undefined;
  let draft: Draft | undefined;
  let isAfterGap = false;
  const begin = (line: number, text: string, isMarked: boolean) => {
    draft = {
      line,
      size: text.length,
      text: text ? [text] : [],
      isMarked,
      options: [],
      keys: [],
      explanation: [],
    };
  };
  for await (const lines of textLines(bytes, decoding))
    for (const { line, text } of lines) {
      const said = text.trim();
      if (!said || /^(?:-{3,}|\*{3,}|_{3,}|`{3}\w*)$/.test(said)) {
        isAfterGap = true;
        continue;
      }
      if (draft && (draft.size += text.length + 1) > LARGEST_ROW) throw tooLarge(draft.line);
      const heading = HEADING.exec(said)?.[1];
      const question = questionIn(plain(heading ?? said), heading !== undefined);
      if (heading !== undefined || question !== undefined) {
        if (draft) yield finish(draft, quiz);
        draft = undefined;
        if (question !== undefined) begin(line, question.trim(), true);
        else quiz = { key: `heading ${line}`, title: plain(heading ?? '') };
      } else if (draft && addTo(draft, said)) {
        // It is an answer, the key or the explanation.
      } else if (draft && (draft.options.length === 0 || !isAfterGap)) {
        const last = draft.options.at(-1);
        if (last) last.text += ` ${said}`;
        else draft.text.push(said);
      } else {
        if (draft) yield finish(draft, quiz);
        begin(line, '', false);
        if (draft && !addTo(draft, said)) draft.text.push(said);
      }
      isAfterGap = false;
    }
  if (draft) yield finish(draft, quiz);
  yield* decoding.notes();
}

/** The text of a line that begins a question; undefined for another line. */
function questionIn(text: string, isHeading: boolean): string | undefined {
  const numbered = NUMBERED.exec(text)?.[1];
  if (numbered !== undefined) return numbered;
  const named = /^(?:question\s?\d|q\d{0,4}\s?[.:)])/i.test(text)
    ? NAMED.exec(text)?.[1]
    : undefined;
  return named ?? (isHeading && text.endsWith('?') ? text : undefined);
}

/** @returns false for a line of text */
function addTo(draft: Draft, said: string): boolean {
  const [, box, boxed = ''] = BOX.exec(said) ?? [];
  const [, bullet = '', listed] = BULLET.exec(said) ?? [];
  const [, star, lettered] = LETTER.exec(said) ?? [];
  const text = box !== undefined ? boxed : (listed ?? lettered);
  const key = ANSWER.exec(plain(said))?.[1];
  const explanation = EXPLANATION.exec(plain(said))?.[1];
  if (text !== undefined) {
    const [, mark, rest] = LETTER.exec(text.trim()) ?? [];
    const isBold = /^(?:\*\*.+\*\*|__.+__)$/.test(text.trim());
    const isCorrect =
      (box !== undefined && box !== ' ') ||
      isBold ||
      star === '*' ||
      mark === '*' ||
      CORRECT.test(text.trim());
    draft.options.push({
      text: plain((rest ?? text).trim().replace(CORRECT, '')),
      isCorrect,
      bullet,
    });
  } else if (key !== undefined) draft.keys.push(key.trim());
  else if (explanation !== undefined) draft.explanation.push(explanation.trim());
  else return false;
  return true;
}

function finish(draft: Draft, quiz: QuizOfRow | undefined): ImportRow {
  const { line, keys } = draft;
  const text = draft.text.join('\n');
  if (!draft.isMarked && draft.options.length === 0 && keys.length === 0)
    return { line, note: `The text ${quote(text)} has no answers and is left out.` };
  const more = { ...(quiz && { quiz }), errors: [] as string[] };
  const about = { text, explanation: draft.explanation.join('\n') };
  if (draft.options.length === 0) {
    const truth = keys.length === 1 ? truthOf(keys[0] ?? '') : undefined;
    if (truth) {
      const answers = ['True', 'False'].map((it) => ({ text: it, isCorrect: it === truth }));
      return rowOf({ line }, { ...about, answers }, more);
    }
    const answers = keys.map((it) => ({ text: it, isCorrect: true }));
    return rowOf(
      { line },
      { ...about, answers, ...(keys.length > 0 && { type: 'OPEN_ENDED' as const }) },
      more,
    );
  }
  const { options } = draft;
  const areMarked = options.some(({ isCorrect }) => isCorrect);
  const stars = options.filter(({ bullet }) => bullet === '*').length;
  if (!areMarked && keys.length === 0 && stars < options.length)
    for (const option of options) option.isCorrect = option.bullet === '*';
  // More are refused below. Without the limit each of 19,000 keys was compared with as many answers.
  const texts = options.map((option) => option.text).slice(0, MOST + 1);
  for (const key of keys.slice(0, MOST)) {
    const places = byAnything(key, texts, 1);
    if (typeof places === 'string') more.errors.push(places);
    else for (const place of places) options[place]!.isCorrect = true;
  }
  const answers = options.map((option) => ({ text: option.text, isCorrect: option.isCorrect }));
  return rowOf({ line }, { ...about, answers }, more);
}

/** Without the marks of emphasis around it. */
function plain(text: string): string {
  const said = text.trim();
  const inner = /^(\*\*|__)(.+)\1$/.exec(said)?.[2] ?? said;
  return inner.replace(/^\*\*([^*]{1,40})\*\*/, '$1').trim();
}
