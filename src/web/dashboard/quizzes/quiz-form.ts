import { WholeQuiz, wholeVersion } from '../../../authoring/quizzes/quiz-editor.service';
import type { OwnedQuizDetail } from '../../../catalog/quizzes/owned-quizzes.service';
import { SHORTEST_TIME_LIMIT } from '../../../catalog/vocabulary';
import { HOUR, SECOND } from '../../../platform/durations';
import type { Issue } from '../../../platform/errors/domain-errors';
import { LIMITS } from '../../../platform/limits/limits';
import { joinAtCommas, splitAtCommas } from '../../../platform/text/text.rules';
import { type Form, numberIn, readForm, wholeNumberIn } from '../../http/form';
import {
  isBlank,
  MOST_QUESTIONS,
  MOST_ROWS,
  questionBody,
  questionIssue,
  questionValues,
  readAll,
  tooManyQuestions,
} from './question-form';

const { attemptsPerPlayer, editorBytes, questionsPerQuiz, timeLimit } = LIMITS.content;
const LONGEST_IN_HOURS = (timeLimit.value * SECOND) / HOUR;

/**
 * Whether a quiz fits on one page, which is sent as one form. Otherwise its questions are edited one by one. One with more
 * answers than the form can show was stored before that limit existed: the form would drop the others.
 */
export const fitsEditor = (quiz: OwnedQuizDetail): boolean =>
  quiz.questionCount <= MOST_QUESTIONS &&
  quiz.contentBytes <= editorBytes.value &&
  quiz.questions.every(({ answers }) => answers.length <= MOST_ROWS);

/**
 * What the editor holds before anything is typed.
 * @param quiz null: a new one
 * @param language of a new one
 */
export function editorValues(
  quiz: OwnedQuizDetail | null,
  language = '',
): Record<string, string | string[]> {
  const difficulty = quiz?.difficulty ?? 'MEDIUM';
  const questions = quiz && fitsEditor(quiz) ? quiz.questions : [];
  const keys = questions.map((_, at) => `q${at + 1}`);
  const blank = quiz === null || (fitsEditor(quiz) && questions.length === 0) ? ['q0'] : [];
  return Object.assign(
    {
      version: quiz ? wholeVersion(quiz) : '',
      title: quiz?.title ?? '',
      description: quiz?.description ?? '',
      category: quiz?.category ?? '',
      difficulty,
      tags: quiz ? joinAtCommas(quiz.tags) : '',
      language: quiz ? (quiz.language ?? '') : language,
      timeLimit: quiz?.timeLimit ? String(Number((quiz.timeLimit / 60).toFixed(3))) : '',
      maxAttempts: quiz?.maxAttempts ? String(quiz.maxAttempts) : '',
      acceptTypos: quiz?.acceptTypos ? 'yes' : '',
      questionsPerAttempt: quiz?.questionsPerAttempt ? String(quiz.questionsPerAttempt) : '',
      question: [...keys, ...blank],
    },
    ...blank.map((key) => questionValues(key, { difficulty })),
    ...questions.map((question, at) => questionValues(keys[at] ?? '', question)),
  ) as Record<string, string | string[]>;
}

/**
 * The form's input. Questions in which nothing was written are left out. Tags are one field here: an error in one of
 * them is an error of the field.
 * @throws Invalid
 */
export async function readQuiz(form: Form) {
  const published = form.text('then') === 'publish';
  const all = [...new Set(form.all('question'))];
  const written = all.filter((key) => !isBlank(form, key));
  // A quiz that is published needs a question: the errors of a blank one say what it needs.
  const keys = published && written.length === 0 ? all.slice(0, 1) : written;
  if (keys.length > MOST_QUESTIONS) throw tooManyQuestions();
  const minutes = numberIn(form.text('timeLimit'));
  const body = {
    ...form.texts('title', 'description', 'category', 'difficulty', 'language'),
    tags: splitAtCommas(form.text('tags')).filter(Boolean),
    timeLimit: minutes === null ? null : Math.round(minutes * 60),
    maxAttempts: wholeNumberIn(form.text('maxAttempts')),
    acceptTypos: form.text('acceptTypos') === 'yes',
    questionsPerAttempt: wholeNumberIn(form.text('questionsPerAttempt')),
    published,
    questions: keys.map((key) => questionBody(form, key)),
  };
  /** Also rewords the errors of the service. */
  const reword = (issue: Issue): Issue => {
    const [, at, path] = /^questions\[(\d+)\]\.(.*)$/.exec(issue.path) ?? [];
    if (path !== undefined) return questionIssue(form, keys[Number(at)] ?? '', { ...issue, path });
    return {
      ...issue,
      path: issue.path.replace(/\[\d+\]$/, ''),
      message: issue.message.replace(/^tags\[(\d+)\]/, (_, index) => `tag ${Number(index) + 1}`),
    };
  };
  const read = () =>
    readForm(WholeQuiz, body, (issue) => {
      const message = REWORDED[issue.path];
      return message ? { ...issue, message } : reword(issue);
    });
  const whole = await readAll(read, body.questions, reword);
  const ids = keys.map((key) => form.text(`${key}.id`));
  return { whole, replaced: { ids, removed: form.all('removed') }, reword };
}

/** Errors of the rules of play, in the words of the form, which has minutes where a request has seconds. */
const REWORDED: Record<string, string> = {
  timeLimit: `A time limit is from ${SHORTEST_TIME_LIMIT} seconds to ${LONGEST_IN_HOURS} hours: enter it in minutes, or leave it empty`,
  maxAttempts: `Enter a number from 1 to ${attemptsPerPlayer.value}, or leave it empty`,
  questionsPerAttempt: `Enter a number from 1 to ${questionsPerQuiz.value.toLocaleString('en')}, or leave it empty`,
};
