import { type Bytes, headOf, type ImportRow, type QuizOfRow, quote } from '../row';
import { markedAnswer } from '../text/answer-marks';
import { letterOf } from '../text/letters';
import { answerKey, inlineOptions, type ListMark, listMark, plainTicks } from '../text/list-marks';
import { TextDecoding } from '../text/text-decoding';
import { asUtf8, LARGEST_ROW, textLines, tooLarge } from '../text/text-lines';
import { words } from '../words';
import { answerSection } from './answer-section';
import { readExportedMarkdown } from './exported-markdown.reader';
import {
  type Draft,
  MANY_KEYS,
  MIXED_MARKS,
  plain,
  rowOfDraft,
  standsAfter,
} from './list-question';
import { MARK } from './markdown.writer';

const HEADING = /^#{1,6}\s(.*)$/s;
const NAMED = new RegExp(
  String.raw`^(?:${words('question')}\s?(?:(\d{1,4})\s?[.:)-]?|:)|q(\d{0,4})\s?[.:)])\s?(.*)$`,
  'is',
);
const EXPLANATION = new RegExp(String.raw`^(?:>|${words('explanation')}\s?:)(.*)$`, 'is');

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
  const list = new ListFile((draft, quiz) => rowOfDraft(draft, quiz, section?.keys));
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
    this.settleTrailing(mark);
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

  /** The text after an option where another one follows: the question of a list that begins, or an error. */
  private settleTrailing({ place }: ListMark): void {
    const { draft } = this;
    const [first, ...others] = draft?.trailing.splice(0) ?? [];
    if (!draft || !first) return;
    // "b)" after text that follows "a)" is the same list: the text was a line of its own.
    if (place > 0) draft.errors.add(standsAfter(first.text));
    else {
      // A key below this text is the key of the list that begins here.
      const keys = draft.keys.splice(first.keys);
      const next = this.begin(first.line, '');
      next.keys = keys;
      next.text = [first, ...others].map(({ text }) => plain(text));
      // The first may be an answer that lost its sign, or belong to a numbered question.
      if (others.length > 0 || draft.style) next.errors.add(standsAfter(first.text));
    }
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

/** To recognise "**Question 3:** …". */
const unlabelled = (text: string): string =>
  plain(text)
    .replace(/^\*\*([^*]{1,40})\*\*/, '$1')
    .trim();
