import type { ParsedQuestion } from '../parsed-question';
import { QuestionError } from '../row';
import { htmlToText } from '../text/html-text';
import { all, first, htmlOf, type QtiElement, textIn } from './qti-xml';

/** Shown where a typed answer stands within a sentence. */
const GAP = '____';

/** An item of QTI 2.0 to 3.0. @param notes gets what is lost @throws QuestionError */
export function question2(item: QtiElement, notes: Set<string>): ParsedQuestion {
  const body = first(item, 'itemBody');
  if (!body) throw new QuestionError('It has no body: export it again.');
  const interactions = [...all(body, /Interaction$/)];
  const [interaction, ...more] = interactions;
  if (!interaction)
    throw new QuestionError('It has nothing to answer: make it a question with answers.');
  if (more.length > 0)
    throw new QuestionError(
      `It has ${interactions.length} answers to give (gaps, or parts): write one question for each.`,
    );
  for (const note of lostIn(item)) notes.add(note);
  const declaration = [...all(item, 'responseDeclaration')].find(
    ({ attributes }) => attributes.identifier === interaction.attributes.responseIdentifier,
  );
  if (interaction.name === 'choiceInteraction') {
    const prompt = first(interaction, 'prompt');
    const html = htmlOf(body, (it) =>
      it === interaction ? (prompt ? `<p>${inner(prompt)}</p>` : '') : left(it),
    );
    const correct = correctIn(declaration, notes);
    const answers = [...all(interaction, 'simpleChoice')].map((choice) => ({
      text: textOf(inner(choice), notes),
      isCorrect: correct.has(choice.attributes.identifier ?? ''),
    }));
    return { text: textOf(html, notes), explanation: '', answers };
  }
  if (
    interaction.name === 'textEntryInteraction' ||
    interaction.name === 'extendedTextInteraction'
  ) {
    const correct = [...correctIn(declaration, notes)].filter(Boolean);
    if (correct.length === 0)
      throw new QuestionError(
        'An essay has no answers to compare with: write it as a short answer with accepted answers.',
      );
    const isGap = interaction.name === 'textEntryInteraction';
    const prompt = first(interaction, 'prompt');
    const html = htmlOf(body, (it) =>
      it === interaction ? (isGap ? GAP : prompt ? `<p>${inner(prompt)}</p>` : '') : left(it),
    );
    // A gap behind the question is no part of it.
    const whole = textOf(html, notes);
    const text = whole.endsWith(GAP) ? whole.slice(0, -GAP.length).trim() : whole;
    return {
      text,
      explanation: '',
      type: 'OPEN_ENDED',
      answers: correct.map((it) => ({ text: it, isCorrect: true })),
    };
  }
  throw new QuestionError(
    `Its kind (${interaction.name}) has no counterpart here: write it as a choice or a typed answer.`,
  );
}

const left = (element: QtiElement): string | null =>
  ['feedbackBlock', 'feedbackInline', 'rubricBlock', 'stylesheet'].includes(element.name)
    ? ''
    : null;

const inner = (element: QtiElement): string => htmlOf(element, left);

function textOf(html: string, notes: Set<string>): string {
  const { text, notes: lost } = htmlToText(html);
  for (const note of lost) notes.add(note);
  return text;
}

/** The values that are correct; of a mapping, those that give the most points, or each that gives some where several may be chosen. */
function correctIn(declaration: QtiElement | undefined, notes: Set<string>): Set<string> {
  if (!declaration) return new Set();
  const response = first(declaration, 'correctResponse');
  const values = response ? [...all(response, 'value')].map(textIn) : [];
  const mapped = [...all(declaration, 'mapEntry')].map(({ attributes }) => ({
    key: attributes.mapKey ?? '',
    points: Number(attributes.mappedValue) || 0,
  }));
  const most = Math.max(0, ...mapped.map(({ points }) => points));
  if (mapped.some(({ points }) => points > 0 && points < most))
    notes.add('Partial credit is not kept: an answer is correct or wrong.');
  const isTyped = declaration.attributes.baseType !== 'identifier';
  const full = mapped.filter(({ points }) => points > 0 && points === most).map(({ key }) => key);
  // Other accepted spellings of a typed answer are in its mapping.
  if (isTyped) return new Set([...values, ...full]);
  return new Set(values.length > 0 ? values : full);
}

function* lostIn(item: QtiElement): Generator<string> {
  if (first(item, 'modalFeedback') ?? first(item, 'feedbackBlock') ?? first(item, 'feedbackInline'))
    yield 'Feedback is not kept.';
  if (first(item, 'rubricBlock')) yield 'Instructions beside the question (rubrics) are not kept.';
  if (first(item, 'templateDeclaration')) yield 'Variables of templates are not kept.';
}
