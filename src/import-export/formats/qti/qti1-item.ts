import type { ParsedQuestion } from '../parsed-question';
import { questionError } from '../row';
import { formulasIn, htmlToText } from '../text/html-text';
import { GAP } from './qti-text';
import { all, elementsIn, first, htmlOf, largest, type QtiElement, textIn } from './qti-xml';

/** An item of QTI 1.2, the format of Canvas. @param notes gets what is lost @throws QuestionError */
export function question1(item: QtiElement, notes: Set<string>): ParsedQuestion {
  const presentation = first(item, 'presentation');
  if (!presentation) throw questionError('It has no presentation: export it again.');
  const responses = [...all(presentation, /^response_/)].filter(
    ({ name }) => name !== 'response_label',
  );
  const [response, ...more] = responses;
  if (!response)
    throw questionError(
      'It has nothing to answer (a text, or an essay): make it a question with answers.',
    );
  if (more.length > 0)
    throw questionError(
      `It has ${responses.length} answers to give (matching, or several gaps): write one question for each.`,
    );
  const text = withGap(materialText(presentation, notes, response), response);
  const explanation = generalFeedback(item, notes);
  if (response.name === 'response_lid') {
    const answers = choices(item, response, notes);
    if (kindIn(item) !== TYPED_GAPS) return { text, explanation, answers };
    const credited = answers.filter(({ isCorrect }) => isCorrect);
    return { text, explanation, type: 'OPEN_ENDED', answers: credited };
  }
  if (response.name === 'response_str' || response.name === 'response_num')
    return { text, explanation, type: 'OPEN_ENDED', answers: typed(item, response, notes) };
  throw questionError(
    `Its kind (${response.name}) has no counterpart here: write it as a choice or a typed answer.`,
  );
}

/** Canvas's own name for a kind of question. */
function kindIn(item: QtiElement): string | undefined {
  const field = [...all(item, 'qtimetadatafield')].find(
    (it) => textIn(first(it, 'fieldlabel')) === 'question_type',
  );
  return field && textIn(first(field, 'fieldentry'));
}

/** Its gaps are typed, although it has what is accepted as choices. */
const TYPED_GAPS = 'fill_in_multiple_blanks_question';

/** Canvas writes the name of a gap in brackets. One behind the question is no part of it. */
function withGap(text: string, { attributes }: QtiElement): string {
  const [, name] = /^response_(.+)$/.exec(attributes.ident ?? '') ?? [];
  if (name === undefined || !text.includes(`[${name}]`)) return text;
  const whole = text.replace(`[${name}]`, () => GAP);
  return whole.endsWith(GAP) ? whole.slice(0, -GAP.length).trim() : whole;
}

function choices(item: QtiElement, response: QtiElement, notes: Set<string>) {
  const credited = creditedAnswers(item, response, notes);
  return [...all(response, 'response_label')].map((label) => ({
    text: materialText(label, notes),
    isCorrect: credited.has(label.attributes.ident ?? ''),
  }));
}

function typed(item: QtiElement, response: QtiElement, notes: Set<string>) {
  const texts = [...creditedAnswers(item, response, notes)].filter(Boolean);
  if (texts.length === 0)
    throw questionError(
      'It has no accepted answer (an essay, a formula or a range of numbers): write it as a short answer with accepted answers.',
    );
  return texts.map((text) => ({ text, isCorrect: true }));
}

/** What conditions that give the most points ask for, and a note where some give a part of them. */
function creditedAnswers(item: QtiElement, response: QtiElement, notes: Set<string>): Set<string> {
  const conditions = [...all(item, 'respcondition')].map((condition) => {
    const points = [...all(condition, 'setvar')]
      .filter(({ attributes }) => ['Set', 'Add'].includes(attributes.action ?? 'Set'))
      .map((it) => Number(textIn(it)) || 0);
    const conditionvar = first(condition, 'conditionvar');
    return {
      points: largest(points),
      asked: conditionvar ? withinRange([...askedIn(conditionvar)], conditionvar, notes) : [],
    };
  });
  const given = conditions.filter(({ points, asked }) => points > 0 && asked.length > 0);
  // Several correct choices share the points, not always evenly: 33.33, 33.33 and 33.34.
  const isShared =
    response.attributes.rcardinality === 'Multiple' &&
    given.every(({ asked }) => asked.length === 1);
  const most = largest(given.map(({ points }) => points));
  const full = isShared ? given : given.filter(({ points }) => points === most);
  if (full.length < given.length)
    notes.add('Partial credit is not kept: an answer is correct or wrong.');
  return new Set(full.flatMap(({ asked }) => asked));
}

/** The numbers that are in the range of a condition, which itself is not kept. */
function withinRange(asked: string[], condition: QtiElement, notes: Set<string>): string[] {
  const bounds = (name: RegExp) => [...all(condition, name)].map((it) => Number(textIn(it)));
  const [low, high] = [bounds(/^vargte?$/), bounds(/^varlte?$/)];
  if (low.length + high.length === 0) return asked;
  if (low.join() !== high.join())
    notes.add('Numbers are compared as text: their range or tolerance is not kept.');
  return asked.filter(
    (text) =>
      low.every((bound) => Number(text) >= bound) && high.every((bound) => Number(text) <= bound),
  );
}

/** Not what must not be chosen. */
function* askedIn(element: QtiElement): Generator<string> {
  for (const child of elementsIn(element)) {
    if (child.name === 'not') continue;
    if (child.name === 'varequal') yield textIn(child);
    else yield* askedIn(child);
  }
}

/** @param leave the answers */
function materialText(element: QtiElement, notes: Set<string>, leave?: QtiElement): string {
  const texts = [...materials(element, leave)].map((it) => {
    const html = htmlIn(it);
    const { text, notes: lost } =
      html === null ? { text: textIn(it), notes: [] } : htmlToText(html);
    for (const note of lost) notes.add(note);
    if (html !== null) for (const note of formulasIn(text)) notes.add(note);
    return text;
  });
  if (first(element, 'matimage')) notes.add('Files (pictures, sounds) are not kept.');
  return texts.filter(Boolean).join('\n');
}

/** HTML that is written as text or as elements; null: plain text. */
function htmlIn(mattext: QtiElement): string | null {
  if (elementsIn(mattext).length > 0) return htmlOf(mattext, () => null);
  return mattext.attributes.texttype === 'text/html' ? textIn(mattext) : null;
}

function* materials(element: QtiElement, leave?: QtiElement): Generator<QtiElement> {
  for (const child of elementsIn(element)) {
    if (child === leave) continue;
    if (child.name === 'mattext') yield child;
    else yield* materials(child, leave);
  }
}

function generalFeedback(item: QtiElement, notes: Set<string>): string {
  let general = '';
  for (const feedback of all(item, 'itemfeedback')) {
    const text = materialText(feedback, notes);
    // Canvas also has "general_incorrect_fb", for wrong answers only.
    if (/general(?!_incorrect)/i.test(feedback.attributes.ident ?? '')) general = text;
    else if (text) notes.add('Feedback on single answers is not kept; general feedback is.');
  }
  return general;
}
