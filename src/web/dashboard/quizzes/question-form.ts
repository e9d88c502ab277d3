import { unshowable, type WrittenQuestion } from '../../../authoring/questions/markdown.rules';
import { movedBy } from '../../../authoring/questions/question.rules';
import type { OwnedQuestion } from '../../../catalog/quizzes/owned-quizzes.service';
import type { Difficulty } from '../../../catalog/vocabulary';
import { Invalid, type Issue } from '../../../platform/errors/domain-errors';
import { LIMITS } from '../../../platform/limits/limits';
import { tidy } from '../../../platform/text/text.rules';
import { fieldError, type Form } from '../../http/form';

/** The initial number of answers; more on request. */
const ROWS = 4;
/** A post cannot make the page longer. */
export const MOST_ROWS = LIMITS.content.answersPerQuestion.value;
/** Of the editor. A post cannot make the page longer. */
export const MOST_QUESTIONS = LIMITS.content.questionsInEditor.value;

export const tooManyQuestions = () =>
  fieldError('', `the editor holds at most ${MOST_QUESTIONS} questions: add the rest one by one`);

/** The fields of a question; each name follows the question's key and a dot. */
const PARTS = [
  'text',
  'type',
  'difficulty',
  'format',
  'explanation',
  'answer',
  'right',
  'wrong',
  'option',
  'truth',
];

/** What the fields of a question hold before anything is typed. Fields of other kinds hold what a new question has. */
export function questionValues(
  key: string,
  question: Partial<OwnedQuestion> & { difficulty: Difficulty },
): Record<string, string | string[]> {
  const { type = 'MULTIPLE_CHOICE', answers = [] } = question;
  const isTruth = type === 'TRUE_FALSE' && answers.length === 2;
  const rows = isTruth ? [] : answers.filter((it) => it.isCorrect || type !== 'OPEN_ENDED');
  const right = rows.flatMap(({ isCorrect }, row) => (isCorrect ? [String(row)] : []));
  const empty = Array.from({ length: Math.max(ROWS - rows.length, 0) }, () => '');
  return {
    [`${key}.id`]: question.id ?? '',
    [`${key}.text`]: question.text ?? '',
    [`${key}.type`]: type,
    [`${key}.difficulty`]: question.difficulty,
    [`${key}.format`]: question.format ?? 'plain',
    [`${key}.explanation`]: question.explanation ?? '',
    [`${key}.answer`]: [...rows.map(({ text }) => text), ...empty],
    [`${key}.right`]: right,
    [`${key}.wrong`]: answers.flatMap((it) =>
      type === 'OPEN_ENDED' && !it.isCorrect ? [it.text] : [],
    ),
    [`${key}.option`]: isTruth ? answers.map(({ text }) => text) : ['True', 'False'],
    [`${key}.truth`]: isTruth ? String(answers.findIndex(({ isCorrect }) => isCorrect)) : '',
  };
}

/**
 * The answers of the question's kind, with their rows, at most one too many. Empty rows do not count. Last are those that
 * an open question lists as wrong (docs/playing.md): the form keeps them, unless one of them is now accepted.
 */
function answersOf(form: Form, key: string) {
  const type = form.text(`${key}.type`);
  const right = new Set(form.all(`${key}.right`));
  const isRight = (row: number, text: string) => {
    if (type === 'TRUE_FALSE') return form.text(`${key}.truth`) === String(row);
    return type === 'OPEN_ENDED' ? text.trim() !== '' : right.has(String(row));
  };
  const answers = form
    .all(`${key}.${type === 'TRUE_FALSE' ? 'option' : 'answer'}`)
    .map((text, row) => ({ row, text, isCorrect: isRight(row, text) }))
    .filter(({ text, isCorrect }) => text.trim() !== '' || isCorrect);
  const accepted = new Set(answers.map(({ text }) => tidy(text)));
  const wrong = form
    .all(`${key}.wrong`)
    .filter((text) => type === 'OPEN_ENDED' && !accepted.has(tidy(text)))
    .map((text) => ({ row: 0, text, isCorrect: false }));
  return [...answers, ...wrong].slice(0, MOST_ROWS + 1);
}

/** Whether nothing was written: such a question of the editor does not count. */
export const isBlank = (form: Form, key: string): boolean =>
  ['id', 'text', 'explanation', 'truth', 'right'].every(
    (part) => !form.text(`${key}.${part}`).trim(),
  ) && form.all(`${key}.answer`).every((text) => text.trim() === '');

/** What counts as correct, for the line of a folded question. */
export const correctTexts = (form: Form, key: string): string[] =>
  answersOf(form, key).flatMap(({ text, isCorrect }) => (isCorrect ? [text] : []));

/** Whether there is nothing left to write. */
export const isFinished = (form: Form, key: string): boolean =>
  form.text(`${key}.text`).trim() !== '' && correctTexts(form, key).length > 0;

/** The question as the API takes it. */
export function questionBody(form: Form, key: string) {
  const field = (part: string) => form.text(`${key}.${part}`);
  return {
    format: field('format') || 'plain',
    text: field('text'),
    type: field('type'),
    difficulty: field('difficulty'),
    explanation: field('explanation'),
    answers: answersOf(form, key).map(({ text, isCorrect }) => ({ text, isCorrect })),
  };
}

/**
 * Reads a form's input. If it has errors, what cannot be shown of its questions, such as a formula, is among them: the
 * service renders only what is valid otherwise.
 * @throws Invalid
 */
export async function readAll<T>(
  read: () => T,
  questions: readonly WrittenQuestion[],
  reword: (issue: Issue) => Issue,
): Promise<T> {
  try {
    return read();
  } catch (error) {
    const known = error instanceof Invalid ? (error.details ?? []) : [];
    const [first, ...rest] = known;
    if (!first) throw error;
    const texts = (await unshowable(questions)).map(reword);
    const others = texts.filter(({ path }) => !known.some((it) => it.path === path));
    throw new Invalid('The form', [first, ...rest, ...others]);
  }
}

/** An error of that body beside its field. The rules' messages speak of JSON; this form has boxes to tick. */
export function questionIssue(form: Form, key: string, { path, message, code }: Issue): Issue {
  const rows = answersOf(form, key);
  return {
    path: `${key}.${path.replace(/^questions\[\d+\]\./, '').replace(/^answers\[(\d+)\].*/, (_, at) => `answer.${rows[Number(at)]?.row}`)}`,
    message: message
      .replace(/^questions\[\d+\]\./, '')
      .replace(/^text /, 'the question ')
      .replace(/^answers\[\d+\]\.text must not be blank/, 'an answer that is ticked needs a text')
      .replace(/^answers\[\d+\]\.text/, 'the text')
      .replace(/^answers needs exactly one .*TRUE_FALSE.*/, 'choose the correct answer')
      .replace(
        /^answers needs at least one answer with "isCorrect": true/,
        'tick the correct answer',
      )
      .replace(/^answers needs at least 1 answer,.*/, 'add an answer that you accept')
      .replace(/^answers needs at least (\d+) answers,.*/, 'give the question at least $1 answers')
      .replace(/^answers (needs|has|may)/, (_, verb: string) => `the question ${verb}`)
      .replace(' for TRUE_FALSE', ''),
    code: message.includes('"isCorrect": true') ? 'unticked' : code,
  };
}

/**
 * The form after a button that changes only its shape (`then`), for browsers without a script; null for other buttons.
 * What was typed stays.
 * @throws Invalid for a further question when the editor is full: the page could not show it
 */
export function restructured(form: Form): Form | null {
  const [verb = '', key = '', at = ''] = form.text('then').split(' ');
  const keys = form.all('question');
  const texts = form.all(`${key}.answer`);
  const right = new Set(form.all(`${key}.right`));
  const rows = texts.map((text, row) => ({ text, isRight: right.has(String(row)) }));
  const withRows = (changed: typeof rows) =>
    form.plus({
      [`${key}.answer`]: changed.slice(0, MOST_ROWS).map(({ text }) => text),
      [`${key}.right`]: changed.flatMap(({ isRight }, row) => (isRight ? [String(row)] : [])),
      focus: `${key}.text`,
    });
  if ((verb === 'add' || verb === 'copy') && keys.length >= MOST_QUESTIONS)
    throw tooManyQuestions();
  const fresh = `n${keys.length}${Date.now().toString(36)}`;
  switch (verb) {
    case 'add':
      return form.plus({
        question: [...keys, fresh],
        ...questionValues(fresh, { difficulty: form.text('difficulty') as Difficulty }),
        focus: `${fresh}.text`,
      });
    case 'copy': {
      const copy = PARTS.map((part) => [`${fresh}.${part}`, form.all(`${key}.${part}`)]);
      return form.plus({
        question: keys.flatMap((it) => (it === key ? [it, fresh] : [it])),
        ...(Object.fromEntries(copy) as Record<string, string[]>),
        focus: `${fresh}.text`,
      });
    }
    case 'remove':
      return form.plus({
        question: keys.filter((it) => it !== key),
        removed: [...form.all('removed'), form.text(`${key}.id`)].filter(Boolean),
      });
    case 'up':
    case 'down':
      return form.plus({ question: movedBy(keys, key, verb), focus: `${key}.text` });
    case 'answer':
      return withRows([...rows, { text: '', isRight: false }]);
    case 'answer-remove':
      return withRows(rows.filter((_, row) => row !== Number(at)));
    case 'answer-up': {
      const order = movedBy([...rows.keys()].map(String), at, 'up');
      return withRows(order.flatMap((row) => rows[Number(row)] ?? []));
    }
    default:
      return null;
  }
}
