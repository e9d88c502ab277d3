import { applyDecorators } from '@nestjs/common';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import type { QuestionType } from '../../catalog/vocabulary';
import {
  correctAnswersError,
  answerCountError,
  repeatedAnswer,
  type AnswerInput,
} from './question.rules';

type Check = (type: QuestionType, answers: unknown[]) => string | null;

/**
 * The rules on a question's answers as a whole. Each keeps silent about what it cannot read.
 * @param fewest accepted answers of an OPEN_ENDED question
 */
export const AnswersKeepTheRules = (fewest: 1 | 2) =>
  applyDecorators(
    rule('answerCount', (type, answers) => answerCountError(type, answers, fewest)),
    rule('correctAnswers', (type, answers) =>
      answerCountError(type, answers, fewest) || !isReadable(answers)
        ? null
        : correctAnswersError(type, answers),
    ),
    rule('repeatedAnswer', (_, answers) => {
      const repeated = isReadable(answers) ? repeatedAnswer(answers) : null;
      return repeated === null ? null : `has the answer ${quoted(repeated)} more than once`;
    }),
  );

const rule = (name: string, check: Check) => {
  const error = ({ object, value }: ValidationArguments): string | null =>
    Array.isArray(value) ? check((object as { type: QuestionType }).type, value) : null;
  return ValidateBy({
    name,
    validator: {
      validate: (_, context) => !context || error(context) === null,
      defaultMessage: (context) => `$path ${context ? error(context) : ''}`,
    },
  });
};

/** On one line, whatever it holds. */
const quoted = (text: string) => JSON.stringify([...text].slice(0, 100).join(''));

function isReadable(answers: unknown[]): answers is AnswerInput[] {
  return answers.every(
    (answer: unknown) =>
      typeof answer === 'object' &&
      answer !== null &&
      typeof (answer as AnswerInput).text === 'string' &&
      typeof (answer as AnswerInput).isCorrect === 'boolean',
  );
}
