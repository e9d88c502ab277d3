import type { QuestionType } from '../../../catalog/vocabulary';
import { quizOfMetadata, withMetadata } from '../metadata';
import {
  correctByCredit,
  type CorrectNumber,
  isHtml,
  openNumbers,
  quizOfCategory,
  readText,
  shortAnswerText,
  STAR_IS_TEXT,
} from '../moodle-terms';
import { type ParsedQuestion, rowOf } from '../parsed-question';
import { plainAsMarkdown } from '../pictures';
import {
  type Bytes,
  type ErrorRow,
  type FilePosition,
  type ImportRow,
  type ParsedRow,
  type QuizOfRow,
  quote,
  readable,
} from '../row';
import { formulasIn, htmlToText } from '../text/html-text';
import { withoutJoiners } from '../text/inert-markdown';
import { TextDecoding } from '../text/text-decoding';
import { visibleInMoodle } from './moodle-xml.writer';
import { type XmlElement, xmlElements } from './xml-elements';

/** Reads Moodle's question XML, one question at a time. @throws FileError */
export async function* readMoodleXml(bytes: Bytes): AsyncGenerator<ImportRow> {
  const decoding = new TextDecoding();
  let quiz: QuizOfRow | undefined;
  let number = 0;
  for await (const item of xmlElements(bytes, 'quiz', decoding)) {
    // Several exports may be joined in one file: each is a quiz of its own.
    if (item.name === '?quiz') quiz = quizOfMetadata(item.text, `quiz ${number}`) ?? quiz;
    if (item.name.startsWith('?')) continue;
    number += 1;
    const place = { line: item.line, path: `question ${number}` };
    if (item.name !== 'question') {
      yield {
        ...place,
        error: `<${item.name.slice(0, 60)}> is not a question: write <question type="multichoice">.`,
      };
    } else if (item.attributes.type === 'category') {
      number -= 1;
      const found = quizOfCategory(textOf(item, 'category'), quiz);
      if (found.note) yield { line: item.line, note: found.note };
      quiz = found.quiz;
    } else yield readable(place, () => moodleRow(place, item, quiz));
  }
  yield* decoding.notes();
}

const UNFIT = new Map([
  ['matching', 'Matching questions are not supported yet: write one question for each pair.'],
  [
    'essay',
    'An essay has no answers to compare with: write it as a short answer with accepted answers.',
  ],
  ['description', 'A text without answers is not a question: remove it, or make it one.'],
  ['cloze', 'A text with gaps: write one question for each gap.'],
]);

/** The supported types; the answers of a choice show whether it is True or False. */
const READ = new Map<string, QuestionType | undefined>([
  ['multichoice', undefined],
  ['truefalse', 'TRUE_FALSE'],
  ['shortanswer', 'OPEN_ENDED'],
  ['numerical', 'OPEN_ENDED'],
]);

/** The row of one <question>. */
function moodleRow(
  place: FilePosition,
  question: XmlElement,
  quiz: QuizOfRow | undefined,
): ParsedRow | ErrorRow {
  const { type = '' } = question.attributes;
  if (!READ.has(type))
    return {
      ...place,
      error:
        UNFIT.get(type) ??
        `The question's type ${quote(type)} has no counterpart here: write it as multichoice, truefalse, shortanswer or numerical.`,
    };
  const notes = new Set<string>();
  const parts = [
    child(question, 'questiontext'),
    child(question, 'generalfeedback'),
    ...children(question, 'answer'),
  ].filter((part) => part !== undefined);
  const isMarkdown = parts.some((part) => formatOf(part) === 'markdown' || hasPictures(part));
  const read = (element: XmlElement | undefined): string => richText(element, notes, isMarkdown);
  const text = read(child(question, 'questiontext'));
  const answers = children(question, 'answer').map((answer) => ({
    text: read(answer),
    credit: Number(answer.attributes.fraction ?? 0) || 0,
  }));
  for (const answer of answers) {
    if (type === 'truefalse') answer.text = answer.text.replace(/^(true|false)$/i, capitalised);
    if (type !== 'shortanswer') continue;
    const { text, isPattern } = shortAnswerText(answer.text);
    answer.text = text;
    if (isPattern) notes.add(STAR_IS_TEXT);
  }
  const several =
    type === 'multichoice' && !/^(?:true|1)$/.test(textOf(question, 'single') || 'true');
  const judged =
    type === 'numerical'
      ? openNumbers(numbersOf(question), answers)
      : correctByCredit(answers, several, type === 'shortanswer');
  if (judged.note) notes.add(judged.note);
  for (const note of leftOut(question, text)) notes.add(note);

  let draft: ParsedQuestion = {
    text,
    explanation: read(child(question, 'generalfeedback')),
    answers: judged.answers,
    type: READ.get(type),
    ...(isMarkdown && { format: 'markdown' }),
  };
  // Exports write one; thousands would each be compared with all answers.
  const hint = child(question, '?quiz');
  if (hint) draft = withMetadata(draft, hint.text, visibleInMoodle);
  return rowOf(place, draft, { quiz, notes: [...notes] });
}

/** The numbers with full credit; "*" is any other. */
const numbersOf = (question: XmlElement): CorrectNumber[] =>
  children(question, 'answer')
    .filter((answer) => Number(answer.attributes.fraction) >= 99.99)
    .map((answer) => ({
      text: textOf(answer, ''),
      tolerance: Number(textOf(answer, 'tolerance')) || 0,
    }))
    .filter(({ text }) => text !== '*');

/** What the question has and we cannot store, except within its texts. */
function* leftOut(question: XmlElement, text: string): Generator<string> {
  // Of our exports it is the beginning of the text, without the addresses of pictures.
  const name = child(question, '?quiz') ? '' : textOf(question, 'name');
  if (name && !text.replace(/\s+/g, ' ').startsWith(name.replace(/\s+/g, ' ')))
    yield 'Names are not kept.';
  if (children(question, 'answer').some((answer) => textOf(answer, 'feedback')))
    yield 'Feedback on single answers is not kept; general feedback is.';
  const feedbacks = ['correctfeedback', 'partiallycorrectfeedback', 'incorrectfeedback'];
  if (feedbacks.some((each) => isOwn(textOf(question, each))))
    yield 'Feedback for correct and wrong attempts is not kept; general feedback is.';
  if (children(question, 'hint').some((hint) => textOf(hint, ''))) yield 'Hints are not kept.';
  const grade = Number(textOf(question, 'defaultgrade') || 1);
  // A weight that is not a number is ignored.
  if (Number.isFinite(grade) && grade !== 1)
    yield `Every question counts the same here: its weight of ${grade} is not kept.`;
  const tags = children(child(question, 'tags'), 'tag').map((tag) => textOf(tag, ''));
  if (tags.length > 0) yield 'Tags are not kept.';
  if (textOf(question, 'usecase') === '1')
    yield 'Capitals do not matter here, though they do in this question.';
}

/** Moodle writes these three sentences into every question. */
const isOwn = (feedback: string): boolean =>
  feedback !== '' &&
  !/^Your answer is (?:correct|partially correct|incorrect)\.$/.test(htmlToText(feedback).text);

const formatOf = ({ attributes }: XmlElement): string => attributes.format ?? 'moodle_auto_format';

/** Whether a text shows a picture that the file has. */
const hasPictures = (element: XmlElement): boolean => {
  const shown = textOf(element, '');
  return children(element, 'file').some(({ text }) => text) && shown.includes(PLUGIN_FILE);
};

/** How texts refer to the files beside them. */
const PLUGIN_FILE = '@@PLUGINFILE@@/';

/** @param isMarkdown whether the question is one in Markdown: then its other texts become Markdown, too */
function richText(
  element: XmlElement | undefined,
  notes: Set<string>,
  isMarkdown: boolean,
): string {
  if (!element) return '';
  const [raw, format] = [textOf(element, ''), formatOf(element)];
  const files = filesOf(element);
  if (!isMarkdown) {
    if (children(element, 'file').length > 0) notes.add('Files (pictures, sounds) are not kept.');
    return readText(raw, format, notes);
  }
  const shown = new Set<string>();
  const urlOf = (src: string): string | undefined => {
    if (/^data:image\//i.test(src)) return src;
    if (!src.startsWith(PLUGIN_FILE)) return undefined;
    const path = src.slice(PLUGIN_FILE.length);
    shown.add(path);
    return files.get(path);
  };
  let text: string;
  if (format === 'markdown')
    text = withoutJoiners(raw, format).replace(
      /@@PLUGINFILE@@\/([^)\s]+)/g,
      (found) => urlOf(decoded(found)) ?? found,
    );
  else if (isHtml(raw, format)) {
    const read = htmlToText(raw, (src) => urlOf(decoded(src)));
    for (const note of [...read.notes, ...formulasIn(raw)]) notes.add(note);
    ({ text } = read);
  } else text = plainAsMarkdown(raw.trim());
  if ([...files.keys()].some((path) => !shown.has(path)))
    notes.add('Files that no text shows as a picture are not kept.');
  return text;
}

/** The files of a text by their paths, as URLs that have their bytes. */
function filesOf(element: XmlElement): Map<string, string> {
  const found = children(element, 'file').map(({ attributes, text }): [string, string] => {
    const path = `${(attributes.path ?? '/').replace(/^\//, '')}${attributes.name ?? ''}`;
    return [path, `data:image/file;base64,${text.replace(/\s+/g, '')}`];
  });
  return new Map(found);
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

const child = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find((each) => each.name === name);

const children = (element: XmlElement | undefined, name: string): XmlElement[] =>
  element?.children.filter((each) => each.name === name) ?? [];

/** The content of the <text> of a child (or of the element itself, for ''), or else its own text. */
function textOf(element: XmlElement, name: string): string {
  const holder = name ? child(element, name) : element;
  return (child(holder, 'text') ?? holder)?.text.trim() ?? '';
}

const capitalised = (word: string): string =>
  word.charAt(0).toUpperCase() + word.slice(1).toLowerCase();
