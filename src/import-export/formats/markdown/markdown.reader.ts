import type { AnswerInput } from '../../../authoring/questions/question.rules';
import { LIMITS } from '../../../platform/limits/limits';
import { byAnything, truthOf } from '../answer-key';
import { rowOf } from '../parsed-question';
import { type Bytes, headOf, type ImportRow, type QuizOfRow, quote } from '../row';
import {
  ignoreEmphasis,
  insideBold,
  isMarked,
  type MarkedAnswer,
  markedAnswer,
  settleMarks,
} from '../text/answer-marks';
import { hasGap } from '../text/cloze';
import { letterOf } from '../text/letters';
import {
  answerKey,
  foreignLine,
  inlineOptions,
  type ListMark,
  listMark,
  plainTicks,
} from '../text/list-marks';
import { TextDecoding } from '../text/text-decoding';
import { asUtf8, LARGEST_ROW, textLines, tooLarge } from '../text/text-lines';
import { words } from '../words';
import { type AnswerSection, answerSection } from './answer-section';
import { readExportedMarkdown } from './exported-markdown.reader';
import { MARK } from './markdown.writer';

const HEADING = /^#{1,6}\s(.*)$/s;
const NAMED = new RegExp(
  String.raw`^(?:${words('question')}\s?(?:(\d{1,4})\s?[.:)-]?|:)|q(\d{0,4})\s?[.:)])\s?(.*)$`,
  'is',
);
const EXPLANATION = new RegExp(String.raw`^(?:>|${words('explanation')}\s?:)(.*)$`, 'is');

const MOST = LIMITS.content.answersPerQuestion.value;

interface Option extends MarkedAnswer {
  mark: ListMark;
}

/** A question as far as it was read. */
interface Draft {
  line: number;
  size: number;
  text: string[];
  /** By which an answer key at the end of the file names it. */
  number: number | undefined;
  /** What says that it is a question: a number, a name such as "Question 3" or a heading; '' if nothing does. */
  style: string;
  indent: number;
  options: Option[];
  /** Of the last option. */
  optionIndent: number;
  /** Whether blank lines separate the options. */
  isLoose: boolean;
  keys: string[];
  explanation: string[];
  /** What has come after an option. Both may also stand above the options. */
  below: Set<'key' | 'explanation'>;
  /** Lines of text right after the options, with the number of keys before each: a new question, or an error. */
  trailing: { line: number; text: string; keys: number }[];
  errors: Set<string>;
}

/**
 * Reads lists in Markdown and as people write them: a heading is the title of a quiz, a numbered line (or a line before
 * a list) a question, and its list the answers, the correct ones as `- [x]`, as `*` among `-`, with `*` before or
 * after, in bold, or with `(correct)` behind; or a line `Answer: B`; or an answer key at the end of the file, by the
 * numbers of the questions. Without a list, `Answer:` lines are what is accepted. `>` begins an explanation. What might
 * belong to another question is an error, never text.
 */
export async function* readMarkdown(bytes: Bytes): AsyncGenerator<ImportRow> {
  const head = (await headOf(asUtf8(bytes), 100)).toString();
  yield* head.trimStart().startsWith(MARK) ? readExportedMarkdown(bytes) : readLists(bytes);
}

async function* readLists(bytes: Bytes): AsyncGenerator<ImportRow> {
  const section = await answerSection(bytes);
  const asked = new Set<number>();
  if (section) {
    // A number that two questions have names neither, which only the whole file shows.
    const survey = new ListFile(({ number }) => {
      if (number === undefined) return undefined;
      if (asked.has(number)) section.keys.set(number, null);
      asked.add(number);
      return undefined;
    });
    for await (const row of rowsIn(survey, bytes, new TextDecoding(), section.line)) void row;
  }
  const decoding = new TextDecoding();
  const list = new ListFile((draft, quiz) => finish(draft, quiz, section?.keys));
  yield* rowsIn(list, bytes, decoding, section?.line);
  const unasked = [...(section?.keys.keys() ?? [])].find((number) => !asked.has(number));
  if (section && unasked !== undefined)
    yield {
      line: section.line,
      error: `The answer key names question ${unasked}, which is not above it: number the questions and the key in the same way.`,
    };
  yield* decoding.notes();
}

/** @param end the line that is read no more */
async function* rowsIn(
  list: ListFile,
  bytes: Bytes,
  decoding: TextDecoding,
  end = Infinity,
): AsyncGenerator<ImportRow> {
  for await (const lines of textLines(bytes, decoding))
    for (const { line, text } of lines) {
      if (line < end) list.take(line, text);
      if (list.rows.length > 0) yield* list.rows.splice(0);
    }
  list.end();
  yield* list.rows;
}

class ListFile {
  /** Finished, and not returned yet. */
  readonly rows: ImportRow[] = [];
  private quiz: QuizOfRow | undefined;
  private draft: Draft | undefined;
  private isAfterGap = false;

  constructor(
    private readonly finish: (draft: Draft, quiz: QuizOfRow | undefined) => ImportRow | undefined,
  ) {}

  take(line: number, written: string): void {
    const raw = plainTicks(written);
    const said = raw.trim();
    if (!said || /^(?:-{3,}|\*{3,}|_{3,}|`{3}\w*)$/.test(said)) {
      this.isAfterGap = true;
      return;
    }
    const { draft } = this;
    if (draft && (draft.size += raw.length + 1) > LARGEST_ROW) throw tooLarge(draft.line);
    this.takeLine(line, said, raw.length - raw.trimStart().length);
    this.isAfterGap = false;
  }

  private takeLine(line: number, said: string, indent: number): unknown {
    const heading = HEADING.exec(said)?.[1];
    if (heading !== undefined) return this.takeHeading(line, heading);
    const bare = unlabelled(said);
    const named = namedQuestion(bare);
    if (named) return this.begin(line, named.text, { style: 'Q', indent, number: named.number });
    const key = answerKey(said);
    if (key !== undefined) return this.takeKey(line, key);
    const explanation = EXPLANATION.exec(bare)?.[1]?.trim();
    if (explanation !== undefined) {
      const { draft } = this;
      if (!draft || draft.trailing.length > 0) return this.stray(line, said);
      if (draft.options.length > 0) draft.below.add('explanation');
      return draft.explanation.push(explanation);
    }
    const found = listMark(said);
    if (!found) return this.takeText(line, said, indent);
    const mark = this.withInitials(found);
    if (mark.kind === 'number' && !this.isNumberedOption(mark, indent))
      return this.begin(line, mark.text, { style: mark.style, indent, number: mark.place + 1 });
    return this.takeOption(line, mark, indent);
  }

  end(): void {
    const { draft } = this;
    this.draft = undefined;
    const row = draft && this.finish(draft, this.quiz);
    if (row) this.rows.push(row);
  }

  private begin(
    line: number,
    text: string,
    {
      style = '',
      indent = 0,
      number,
    }: { style?: string; indent?: number; number?: number | undefined } = {},
  ): Draft {
    this.end();
    this.draft = {
      line,
      size: text.length,
      text: text ? [plain(text)] : [],
      number,
      style,
      indent,
      options: [],
      optionIndent: 0,
      isLoose: false,
      keys: [],
      explanation: [],
      below: new Set(),
      trailing: [],
      errors: new Set(),
    };
    return this.draft;
  }

  private takeHeading(line: number, heading: string): void {
    const text = plain(heading);
    const bare = unlabelled(heading);
    const named = namedQuestion(bare);
    const mark = listMark(bare);
    if (named) this.begin(line, named.text, { style: 'Q', number: named.number });
    else if (mark?.kind === 'number')
      this.begin(line, mark.text, { style: mark.style, number: mark.place + 1 });
    else if (text.endsWith('?')) this.begin(line, text, { style: '#' });
    else {
      this.end();
      this.quiz = { key: `heading ${line}`, title: text };
    }
  }

  private takeKey(line: number, key: string): void {
    const { draft } = this;
    if (!draft || draft.trailing.length > 0) {
      const found = draft ?? this.begin(line, '');
      if (!draft) found.errors.add('the line belongs to no question: write the question before it');
      found.keys.push(key);
      return;
    }
    if (draft.keys.length > 0 && (draft.options.length > 0 || this.isAfterGap))
      draft.errors.add(MANY_KEYS);
    if (draft.options.length > 0) draft.below.add('key');
    draft.keys.push(key);
  }

  private stray(line: number, said: string): void {
    this.end();
    this.rows.push({
      line,
      error: `The line ${quote(said)} belongs to no question: write the question and its answers before it.`,
    });
  }

  /** "- D. H. Lawrence", "- E. coli": no letter of a list, where none or another one is expected. */
  private withInitials(mark: ListMark): ListMark {
    const { options = [], trailing = [] } = this.draft ?? {};
    // Behind text a list of its own begins.
    const first = trailing.length > 0 ? undefined : options[0]?.mark;
    const isDue = first ? first.kind === 'letter' : mark.place === 0;
    if (isDue || mark.listed === undefined || !mark.style.endsWith(' A.')) return mark;
    const style = mark.style.charAt(0);
    return { kind: 'bullet', place: -1, style, text: mark.listed.trim(), marks: [] };
  }

  /** Numbers are answers if they count from 1 below a question, in another form than the questions' own numbers. */
  private isNumberedOption({ place, style, text }: ListMark, indent: number): boolean {
    const { draft } = this;
    if (!draft || draft.text.length === 0 || draft.trailing.length > 0) return false;
    if (draft.below.size > 0) return false;
    if (draft.options[0] && draft.options[0].mark.kind !== 'number') return false;
    if (place !== draft.options.length || text.endsWith('?')) return false;
    if (draft.options.length > 0) return draft.options[0]?.mark.style === style;
    if (draft.style.includes('1')) return draft.style !== style || indent > draft.indent + 1;
    if (draft.keys.length + draft.explanation.length > 0) return false;
    return draft.style !== '' || /[?:]$/.test(draft.text.at(-1) ?? '');
  }

  private takeOption(line: number, mark: ListMark, indent: number): void {
    const { trailing } = this.draft ?? { trailing: [] };
    const [first] = trailing;
    if (first) {
      // "b)" after text that follows "a)" is the same list: the text was a line of its own.
      if (mark.place > 0) this.draft?.errors.add(standsAfter(first.text));
      else {
        const text = this.draft!.trailing.splice(0);
        // A key below this text is the key of the list that begins here.
        const keys = this.draft!.keys.splice(first.keys);
        const before = this.draft!.style;
        const next = this.begin(first.line, '');
        next.keys = keys;
        next.text = text.map((each) => plain(each.text));
        // The first may be an answer that lost its sign, or belong to a numbered question.
        if (text.length > 1 || before) next.errors.add(standsAfter(first.text));
      }
      if (mark.place > 0) this.draft!.trailing = [];
    }
    let draft = this.draft ?? this.begin(line, '');
    if (!continues(draft, mark, this.isAfterGap)) draft = this.begin(line, '');
    if (draft.options.length === 1) draft.isLoose = this.isAfterGap;
    const due = draft.options.length;
    if (draft.options[0] && draft.options[0].mark.kind !== mark.kind) draft.errors.add(MIXED_MARKS);
    else if (mark.kind === 'letter' && mark.place !== due)
      draft.errors.add(
        `answer ${letterOf(mark.place).toLowerCase()} found where ${letterOf(due).toLowerCase()} is expected: letter the answers a, b and c`,
      );
    const inline = mark.kind === 'letter' ? inlineOptions(mark.text, mark.place + 1, 1) : null;
    const [text = mark.text, ...more] = inline ?? [];
    for (const [place, each] of [text, ...more].entries()) {
      const answer = markedAnswer(each);
      // A sign in front of the line is that of its first option.
      const ofLine = mark.marks.filter((it) => place === 0 || it === 'bold');
      draft.options.push({
        text: plain(answer.text),
        uncrossed: plain(answer.uncrossed),
        marks: [...ofLine, ...answer.marks],
        mark: { ...mark, place: mark.place < 0 ? -1 : mark.place + place },
      });
    }
    draft.optionIndent = indent;
  }

  private takeText(line: number, said: string, indent: number): void {
    const { draft } = this;
    if (!draft) this.begin(line, said);
    else if (draft.options.length === 0 && draft.keys.length + draft.explanation.length === 0) {
      if (this.isAfterGap && draft.style === '') this.begin(line, said);
      else {
        if (this.isAfterGap)
          draft.errors.add(
            'a blank line is inside the question: remove it, or number each question',
          );
        draft.text.push(plain(said));
      }
    } else if (
      this.isAfterGap ||
      draft.options.length === 0 ||
      draft.below.has('key') ||
      draft.explanation.length > 0
    )
      this.begin(line, said);
    else if (indent > draft.optionIndent && draft.trailing.length === 0) {
      const last = draft.options.at(-1);
      if (said.endsWith('?')) draft.errors.add(standsAfter(said));
      if (last) {
        last.text += ` ${said}`;
        last.uncrossed += ` ${said}`;
      }
    } else draft.trailing.push({ line, text: said, keys: draft.keys.length });
  }
}

const UNMARKED =
  'no answer is marked as correct: put * behind the correct one, or write a line such as "Answer: B" below the answers';

const MANY_KEYS = 'more than one line names the correct answer: keep one';

const MIXED_MARKS = 'the answers are marked in different ways: use the same sign for all';

const GAP =
  'the question has a gap as Anki writes it: write ____ instead, and its answer behind "Answer:" below';

const standsAfter = (text: string): string =>
  `the text ${quote(text)} follows an answer: write it into the same line, or put a blank line before the next question`;

/** Whether an answer with this mark can belong to a question, or begins the answers of another one. */
function continues(draft: Draft, mark: ListMark, isAfterGap: boolean): boolean {
  const { options, below, isLoose } = draft;
  // Also after its key: a list without a question of its own is no question.
  if (options.length === 0) return true;
  if (below.has('key')) return false;
  if (mark.kind === 'letter') return mark.place !== 0;
  if (mark.kind === 'number') return true;
  return !below.has('explanation') && (options.length === 1 || isAfterGap === isLoose);
}

/** "Question 3: …", "Q: …" */
function namedQuestion(line: string): { text: string; number: number | undefined } | undefined {
  const [whole, number, short, text = ''] = NAMED.exec(line) ?? [];
  if (whole === undefined) return undefined;
  return { text: text.trim(), number: Number(number ?? short) || undefined };
}

/** Letters without a list name answers that were not recognised; F below a statement of one line is "false". */
const namesListed = (key: string, { length }: readonly string[]): boolean =>
  /^[a-h](?:\s?[,/&+]\s?[a-h])*$/i.test(key) && !(/^f$/i.test(key) && length === 1);

/** @param section the answer key at the end of the file */
function finish(
  draft: Draft,
  quiz: QuizOfRow | undefined,
  section?: AnswerSection['keys'],
): ImportRow {
  const { line, keys, style, number } = draft;
  const keyBelow = number === undefined ? undefined : section?.get(number);
  const lines = readInline(draft);
  if (keyBelow === null)
    draft.errors.add(
      `the number ${number} occurs more than once in the questions or in the answer key: number both in order`,
    );
  else if (keyBelow !== undefined && keys.length > 0) draft.errors.add(MANY_KEYS);
  else if (keyBelow !== undefined && (draft.options.length > 0 || !namesListed(keyBelow, lines)))
    keys.push(keyBelow);
  const text = lines.join('\n');
  const errors = [...draft.errors];
  const [left] = draft.trailing;
  if (left) errors.push(standsAfter(left.text));
  if (hasGap(text)) errors.push(GAP);
  const foreign = foreignLine(draft.text);
  if (foreign !== undefined && errors.length === 0)
    errors.push(
      `the line ${quote(foreign)} looks like another question: put a blank line before it, and mark the answers of both`,
    );
  if (
    !style &&
    draft.options.length === 0 &&
    keys.length === 0 &&
    !text.endsWith('?') &&
    errors.length === 0
  )
    return { line, note: `The text ${quote(text)} has no answers and is ignored.` };
  const more = { ...(quiz && { quiz }), errors, unmarked: UNMARKED };
  const about = { text, explanation: draft.explanation.join('\n') };
  const [only] = draft.options;
  // "Q: … A: …"
  if (style === 'Q' && draft.options.length === 1 && only?.mark.style === 'A:' && keys.length === 0)
    keys.push(only.text, ...(draft.options.splice(0), []));
  if (draft.options.length === 0) {
    const [key = '', ...others] = keys;
    const isAsked = text.endsWith('?');
    const isEnglish = /^(?:true|false)$/i.test(key);
    // Who asks for a word of another language gets it as it is.
    const isTruth = others.length === 0 && (isEnglish || key.length === 1 || !isAsked);
    const truth = isTruth ? truthOf(key) : undefined;
    if (truth) {
      const answers = ['True', 'False'].map((it) => ({ text: it, isCorrect: it === truth }));
      // It may be a symbol or a translation.
      const isSure = isEnglish || (key.length === 1 && !isAsked);
      const notes = isSure ? [] : [`The answer ${quote(key)} is read as ${truth}.`];
      return rowOf({ line }, { ...about, answers }, { ...more, notes });
    }
    const answers = keys.map((it) => ({ text: it, isCorrect: true }));
    return rowOf(
      { line },
      { ...about, answers, ...(keys.length > 0 && { type: 'OPEN_ENDED' as const }) },
      more,
    );
  }
  return rowOf({ line }, { ...about, answers: markedOptions(draft, errors) }, more);
}

/** The text without the options in its lines, which become options. */
function readInline(draft: Draft): string[] {
  const last = draft.text.at(-1) ?? '';
  const found = inlineOptions(last);
  if (!found) return draft.text;
  if (draft.options.length > 0) {
    draft.errors.add('answers are in the question and below it: write each into a line of its own');
    return draft.text;
  }
  const [text = '', ...options] = found;
  for (const [place, option] of options.entries()) {
    const mark: ListMark = { kind: 'letter', place, style: 'a)', text: option, marks: [] };
    draft.options.push({ ...markedAnswer(option), mark });
  }
  return [...draft.text.slice(0, -1), text].filter(Boolean);
}

/** The options with those that are correct, by their marks or by the key. Adds to `errors`. */
function markedOptions({ options, keys }: Draft, errors: string[]): AnswerInput[] {
  markTicked(options, errors);
  const contradiction = settleMarks(options, keys.length > 0);
  if (contradiction !== undefined && errors.length === 0) errors.push(contradiction);
  const areMarked = options.some(isMarked);
  // More are refused below. Without the limit each of 19,000 keys was compared with as many answers.
  const texts = options.map((option) => option.text).slice(0, MOST + 1);
  const chosen = new Set<number>();
  for (const key of keys.slice(0, MOST)) {
    const places = placesOf(key, texts, options[0]?.mark.kind === 'letter');
    if (typeof places === 'string') errors.push(places);
    else if (namesInitial(key, options.slice(0, MOST))) errors.push(mayBeInitial(key));
    else for (const place of places) chosen.add(place);
  }
  const isMisled = (option: Option, place: number) =>
    areMarked
      ? isMarked(option) !== chosen.has(place)
      : option.marks.includes('wrong') && chosen.has(place);
  if (chosen.size > 0 && options.some(isMisled))
    errors.push('the marks and the line "Answer:" name different answers: keep one of them');
  return options.map((option, place) => ({
    text: option.text,
    isCorrect: areMarked ? isMarked(option) : chosen.has(place),
  }));
}

/** A ticked box is a sign, and so is a star or a filled circle among other bullets. */
function markTicked(options: readonly Option[], errors: string[]): void {
  const isBox = ({ mark }: Option) => mark.kind === 'box';
  const isTicked = ({ mark }: Option) => mark.isTicked ?? /^[*●◉]/.test(mark.style);
  const ticked = options.filter(isTicked);
  if (ticked.length === 0 || (ticked.length === options.length && !ticked.some(isBox))) return;
  for (const box of options.filter(isBox)) ignoreEmphasis(box);
  const agrees = (option: Option) =>
    isMarked(option) === isTicked(option) || option.mark.isTicked === true;
  const isMixed = options.some(isMarked) && !options.every(agrees);
  if (isMixed && !errors.includes(MIXED_MARKS)) errors.push(MIXED_MARKS);
  for (const option of ticked) option.marks.unshift('sign');
}

/** Whether a letter may stand for an answer such as "B. Shaw" behind a bullet, which is not the second one. */
const namesInitial = (key: string, options: readonly Option[]): boolean =>
  /^[a-h](?:[\s,;]+[a-h])*$/i.test(key) &&
  options.some(({ text, mark }, place) => {
    const initial = mark.kind === 'bullet' && /^([A-H])\.\s/.exec(text)?.[1];
    return initial && initial !== letterOf(place) && key.toUpperCase().includes(initial);
  });

const mayBeInitial = (key: string): string =>
  `the key ${quote(key)} may be a letter of the list or the beginning of an answer: write the answer instead`;

/** The answers that a key names, also a letter with more text behind it: "B) Rome", "B. It is the capital." */
function placesOf(
  key: string,
  texts: readonly string[],
  areLettered: boolean,
): Set<number> | string {
  const places = byAnything(key, texts, 1);
  const [, letter, sign, more = ''] = /^\(?([a-h])([.):]|\s[-–—])?\s(.*)$/is.exec(key) ?? [];
  if (typeof places !== 'string' || letter === undefined || !areLettered) return places;
  const named = byAnything(letter, texts, 1);
  const byText = byAnything(more.trim(), texts, 1);
  if (typeof named === 'string' || typeof byText === 'string') return sign ? named : places;
  return [...byText].every((place) => named.has(place)) ? named : places;
}

/** Without the signs of what is bold: as a whole, or only its beginning. Of several bold parts, each keeps its signs. */
function plain(text: string): string {
  const said = text.trim();
  return (
    insideBold(said) ??
    said.replace(/^\*\*(?!\s)([^*]{1,40})(?<!\s)\*\*((?:(?!\*\*).)*)$/s, '$1$2').trim()
  );
}

/** To recognise "**Question 3:** …". */
const unlabelled = (text: string): string =>
  plain(text)
    .replace(/^\*\*([^*]{1,40})\*\*/, '$1')
    .trim();
