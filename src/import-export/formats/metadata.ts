import { answerCountError, correctAnswersError } from '../../authoring/questions/question.rules';
import {
  type QuestionFormat,
  type QuestionType,
  rulesOf,
  SHORTEST_TIME_LIMIT,
} from '../../catalog/vocabulary';
import { LIMITS } from '../../platform/limits/limits';
import { canonicalLanguage } from '../../platform/text/language.rules';
import { difficultyOf, type ParsedQuestion, questionTypeOf } from './parsed-question';
import { textsOfQuestion } from './pictures';
import { type ExportedQuiz, type ImportedQuestion, onlyGiven, type QuizOfRow } from './row';
import { withoutJoiners } from './text/inert-markdown';

/**
 * What GIFT, Moodle XML and QTI cannot express about a question or a quiz is written as JSON where other programs see a
 * comment. Readers treat it as a hint: later edits of the visible part take precedence.
 */

/**
 * What a reader finds of a text in a format.
 * @param place 0 is the question, 1 its explanation, and then come the answers
 */
export type Visible = (text: string, place: number, format?: QuestionFormat) => string;

/** For GIFT and Markdown, which cannot express "\r". */
export const withLineFeeds = (text: string): string => text.replace(/\r\n?/g, '\n');
export const visibleLines: Visible = (text, _, format) =>
  withoutJoiners(withLineFeeds(text), format);

/** The hint beside a question. `natural`: the type that the format itself shows to a reader. */
export function questionMetadata(
  question: ImportedQuestion,
  natural: QuestionType | undefined,
  visible: Visible,
): string {
  const { type, difficulty, format, source, licence } = question;
  const texts = textsOfQuestion(question);
  return JSON.stringify({
    ...(type !== natural && { type }),
    difficulty,
    format,
    source,
    licence,
    ...(texts.some((text, place) => visible(text, place, format) !== text) && { exact: texts }),
  });
}

/** The hint at the top of a file. */
export function quizMetadata({
  title,
  description,
  category,
  difficulty,
  tags,
  language,
  ...quiz
}: ExportedQuiz): string {
  const texts = { title, description, category, difficulty, tags, language };
  return JSON.stringify({ quiz: { ...texts, ...rulesOf(quiz) } });
}

/** The question with its hint. A hint that does not fit (any more) is ignored. */
export function withMetadata(
  draft: ParsedQuestion,
  json: string,
  visible: Visible,
): ParsedQuestion {
  const hint = parse(json);
  if (!hint) return draft;
  const type = questionTypeOf(text(hint.type));
  const format = formatIn(hint);
  const fits =
    type && !answerCountError(type, draft.answers) && !correctAnswersError(type, draft.answers)
      ? type
      : undefined;
  const better: ParsedQuestion = {
    ...draft,
    type: fits ?? draft.type,
    difficulty: difficultyOf(text(hint.difficulty)),
    ...(format && { format }),
    source: text(hint.source),
    licence: text(hint.licence),
  };
  const { exact } = hint;
  const seen = textsOfQuestion(draft);
  if (!Array.isArray(exact) || exact.length !== seen.length) return better;
  if (!seen.every((each, i) => visible(text(exact[i]), i, format) === each)) return better;
  const [question, explanation, ...answers] = exact.map(text);
  return {
    ...better,
    text: question ?? '',
    explanation: explanation ?? '',
    answers: draft.answers.map(({ isCorrect }, i) => ({ text: answers[i] ?? '', isCorrect })),
  };
}

/** The format of a question's texts by its hint; undefined: plain. */
export const formatOfMetadata = (json: string): QuestionFormat | undefined =>
  formatIn(parse(json) ?? {});

/** The type of a question that its hint states, if it is one. */
export const typeOfMetadata = (json: string): QuestionType | undefined =>
  questionTypeOf(text(parse(json)?.type));

const formatIn = ({ format }: Record<string, unknown>): QuestionFormat | undefined =>
  format === 'markdown' ? format : undefined;

/** The quiz of a hint at the top of a file; undefined if the JSON is not one. */
export function quizOfMetadata(json: string, key: string): QuizOfRow | undefined {
  const quiz = parse(json)?.quiz;
  return typeof quiz === 'object' && quiz !== null && !Array.isArray(quiz)
    ? quizOf(quiz as Record<string, unknown>, key)
    : undefined;
}

/** The quiz that a JSON object describes. Members of the wrong type are ignored. */
export function quizOf(object: Record<string, unknown>, key: string): QuizOfRow {
  const tags = Array.isArray(object.tags) ? object.tags : [];
  return {
    key,
    ...onlyGiven({
      title: text(object.title),
      description: text(object.description),
      category: text(object.category),
      difficulty: difficultyOf(text(object.difficulty)),
      tags: tags.filter((tag) => typeof tag === 'string'),
      language: canonicalLanguage(text(object.language)) ?? undefined,
      timeLimit: wholeIn(object.timeLimit, SHORTEST_TIME_LIMIT, LIMITS.content.timeLimit.value),
      maxAttempts: wholeIn(object.maxAttempts, 1, LIMITS.content.attemptsPerPlayer.value),
      acceptTypos: typeof object.acceptTypos === 'boolean' ? object.acceptTypos : undefined,
      questionsPerAttempt: wholeIn(
        object.questionsPerAttempt,
        1,
        LIMITS.content.questionsPerQuiz.value,
      ),
    }),
  };
}

const wholeIn = (value: unknown, least: number, most: number) =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
    ? value
    : undefined;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

function parse(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    // A comment of another program.
    return undefined;
  }
}
