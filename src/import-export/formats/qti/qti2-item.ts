import { posix } from 'node:path';
import type { AnswerInput } from '../../../authoring/questions/question.rules';
import { withMetadata } from '../metadata';
import type { ParsedQuestion } from '../parsed-question';
import { mapTexts, replaceShown } from '../pictures';
import { questionError } from '../row';
import { htmlToText } from '../text/html-text';
import { GAP, visibleInQti, visibleTyped } from './qti-text';
import { all, first, HINT, htmlOf, largest, type QtiElement, textIn } from './qti-xml';

/** The pictures of the package that an item shows: URLs that have their bytes, by the paths in its texts. */
export type ItemPictures = ReadonlyMap<string, string>;

/** An item of QTI 2.0 to 3.0. @param notes gets what is lost @throws QuestionError */
export function question2(
  item: QtiElement,
  notes: Set<string>,
  pictures?: ItemPictures,
): ParsedQuestion {
  const hint = textIn(first(item, HINT));
  if (hint) {
    const lost = new Set<string>();
    const draft = questionIn(item, lost);
    const isTyped = draft.type === 'OPEN_ENDED';
    const whole = withMetadata(draft, hint, (text, place, format) =>
      isTyped && place > 1 ? visibleTyped(text) : visibleInQti(text, format),
    );
    // The texts as they were written, so nothing of them is lost.
    const isExact = whole.answers !== draft.answers;
    if (isExact || lost.size === 0) return isExact ? withPictures(whole, pictures) : whole;
  }
  const shown = pictures && pictures.size > 0 ? pictures : undefined;
  const question = questionIn(item, notes, shown);
  const empty = question.answers.findIndex(({ text }) => text === '');
  if (empty >= 0 && notes.size > 0)
    throw questionError(
      `Answer ${empty + 1} has only a formula, a picture or a sound, which is not kept: write it as text.`,
    );
  const better = hint ? withMetadata(question, hint, (text) => text) : question;
  if (shown) return { ...better, format: 'markdown' };
  // Of HTML that was changed, the Markdown is not known.
  return { ...better, ...(better.format && { format: 'plain' }) };
}

/** Our own export names a picture by its id, which is the name of its file. */
function withPictures(question: ParsedQuestion, pictures: ItemPictures = new Map()) {
  if (question.format !== 'markdown') return question;
  const urls = new Map([...pictures].map(([path, url]) => [posix.parse(path).name, url]));
  return mapTexts(question, (text) => replaceShown(text, (id) => urls.get(id)));
}

/** @param pictures if given, the texts become Markdown */
function questionIn(item: QtiElement, notes: Set<string>, pictures?: ItemPictures): ParsedQuestion {
  const body = first(item, 'itemBody');
  if (!body) throw questionError('It has no body: export it again.');
  const interactions = [...all(body, /Interaction$/)];
  const [interaction, ...more] = interactions;
  if (!interaction)
    throw questionError('It has nothing to answer: make it a question with answers.');
  if (more.length > 0)
    throw questionError(
      `It has ${interactions.length} answers to give (gaps, or parts): write one question for each.`,
    );
  for (const note of lostIn(item)) notes.add(note);
  const texts = new ItemTexts(notes, pictures);
  const explanation = texts.of(explanationIn(item));
  const declaration = [...all(item, 'responseDeclaration')].find(
    ({ attributes }) => attributes.identifier === interaction.attributes.responseIdentifier,
  );
  if (interaction.name === 'choiceInteraction') {
    const correct = correctIn(declaration, notes);
    const answers = [...all(interaction, 'simpleChoice')].map((choice) => ({
      text: texts.of(choice),
      isCorrect: correct.has(choice.attributes.identifier ?? ''),
    }));
    return { text: texts.question(body, interaction), explanation, answers };
  }
  if (
    interaction.name === 'textEntryInteraction' ||
    interaction.name === 'extendedTextInteraction'
  ) {
    const answers = typedIn(declaration, notes);
    if (!answers.some(({ isCorrect }) => isCorrect))
      throw questionError(
        'An essay has no answers to compare with: write it as a short answer with accepted answers.',
      );
    const isGap = interaction.name === 'textEntryInteraction';
    // A gap behind the question is no part of it.
    const whole = texts.question(body, interaction, isGap ? GAP : undefined);
    const text = whole.endsWith(GAP) ? whole.slice(0, -GAP.length).trim() : whole;
    return { text, explanation, type: 'OPEN_ENDED', answers };
  }
  throw questionError(
    `Its kind (${interaction.name}) has no counterpart here: write it as a choice or a typed answer.`,
  );
}

/** The texts of an item. */
class ItemTexts {
  constructor(
    private readonly notes: Set<string>,
    private readonly pictures: ItemPictures | undefined,
  ) {}

  of(element: QtiElement | undefined): string {
    return element ? this.read(htmlOf(element, leftOut)) : '';
  }

  /** @param instead what is written in place of the interaction; default: its prompt */
  question(body: QtiElement, interaction: QtiElement, instead?: string): string {
    const prompt = first(interaction, 'prompt');
    const asked = instead ?? (prompt ? `<p>${htmlOf(prompt, leftOut)}</p>` : '');
    return this.read(htmlOf(body, (it) => (it === interaction ? asked : leftOut(it))));
  }

  private read(html: string): string {
    const { pictures } = this;
    const { text, notes } = htmlToText(html, pictures && ((src) => pictures.get(src)));
    for (const note of notes) this.notes.add(note);
    return text;
  }
}

const leftOut = (element: QtiElement): string | null =>
  ['feedbackBlock', 'feedbackInline', 'rubricBlock', 'stylesheet'].includes(element.name)
    ? ''
    : null;

/** Feedback that follows every response: its outcome begins with its identifier. */
function explanationIn(item: QtiElement): QtiElement | undefined {
  const outcomes = [...all(item, 'outcomeDeclaration')].map((outcome) =>
    JSON.stringify([outcome.attributes.identifier, textIn(first(outcome, 'defaultValue'))]),
  );
  const beginnings = new Set(outcomes);
  const feedback = [...all(item, 'modalFeedback')].find(
    ({ attributes: { outcomeIdentifier, identifier } }) =>
      identifier !== undefined && beginnings.has(JSON.stringify([outcomeIdentifier, identifier])),
  );
  return first(feedback, 'contentBody') ?? feedback;
}

interface Mapped {
  key: string;
  points: number;
}

/** What a mapping gives points for, and a note where some give a part of them. */
function mappedIn(declaration: QtiElement, notes: Set<string>): { mapped: Mapped[]; most: number } {
  const mapped = [...all(declaration, 'mapEntry')].map(({ attributes }) => ({
    key: (attributes.mapKey ?? '').trim(),
    points: Number(attributes.mappedValue) || 0,
  }));
  const most = largest(mapped.map(({ points }) => points));
  if (mapped.some(({ points }) => points > 0 && points < most))
    notes.add('Partial credit is not kept: an answer is correct or wrong.');
  return { mapped, most };
}

const valuesIn = (declaration: QtiElement): string[] => {
  const response = first(declaration, 'correctResponse');
  return response ? [...all(response, 'value')].map(textIn) : [];
};

/** The choices that are correct; of a mapping, those that give the most points. */
function correctIn(declaration: QtiElement | undefined, notes: Set<string>): Set<string> {
  if (!declaration) return new Set();
  const values = valuesIn(declaration);
  const { mapped, most } = mappedIn(declaration, notes);
  const full = mapped.filter(({ points }) => points > 0 && points === most);
  return new Set(values.length > 0 ? values : full.map(({ key }) => key));
}

/** Typed answers: other accepted spellings are in the mapping, and those without points are wrong. */
function typedIn(declaration: QtiElement | undefined, notes: Set<string>): AnswerInput[] {
  if (!declaration) return [];
  const values = valuesIn(declaration).filter(Boolean);
  const { mapped, most } = mappedIn(declaration, notes);
  const answers = new Map<string, boolean>();
  for (const { key, points } of mapped) {
    const isCorrect = values.includes(key) || (points > 0 && points === most);
    // One with a part of the points is neither.
    if (key && (isCorrect || points <= 0)) answers.set(key, isCorrect);
  }
  const others = values.filter((text) => !answers.has(text));
  return [...new Map([...others.map((text) => [text, true] as const), ...answers])].map(
    ([text, isCorrect]) => ({ text, isCorrect }),
  );
}

function* lostIn(item: QtiElement): Generator<string> {
  const feedback = [...all(item, /^(?:modalFeedback|feedbackBlock|feedbackInline)$/)];
  const kept = explanationIn(item) ? 1 : 0;
  if (feedback.length > kept)
    yield kept
      ? 'Feedback on single answers is not kept; general feedback is.'
      : 'Feedback is not kept.';
  if (first(item, 'rubricBlock')) yield 'Instructions beside the question (rubrics) are not kept.';
  if (first(item, 'templateDeclaration')) yield 'Variables of templates are not kept.';
}
