import { applyDecorators } from '@nestjs/common';
import { ValidateBy, type ValidationArguments } from 'class-validator';
import { QUESTION_TYPES, type QuestionType } from '../catalog/vocabulary';
import { correctFault, countFault, repeatedAnswer, type AnswerInput } from './question.rules';

type Check = (type: QuestionType, answers: AnswerInput[]) => string | null;

/** The rules on a question's answers as a whole. They keep silent while type or answers are not readable. */
export const AnswersKeepTheRules = () =>
  applyDecorators(
    rule('answerCount', countFault),
    rule('correctAnswers', (type, answers) =>
      countFault(type, answers) ? null : correctFault(type, answers),
    ),
    rule('repeatedAnswer', (_, answers) => {
      const repeated = repeatedAnswer(answers);
      return repeated === null ? null : `has the answer "${repeated.slice(0, 100)}" more than once`;
    }),
  );

const rule = (name: string, check: Check) => {
  const fault = ({ object, value }: ValidationArguments): string | null => {
    const { type } = object as { type: QuestionType };
    return QUESTION_TYPES.includes(type) && isReadable(value) ? check(type, value) : null;
  };
  return ValidateBy({
    name,
    validator: {
      validate: (_, context) => !context || fault(context) === null,
      defaultMessage: (context) => `$path ${context ? fault(context) : ''}`,
    },
  });
};

function isReadable(value: unknown): value is AnswerInput[] {
  return (
    Array.isArray(value) &&
    value.every(
      (answer: unknown) =>
        typeof answer === 'object' &&
        answer !== null &&
        typeof (answer as AnswerInput).text === 'string' &&
        typeof (answer as AnswerInput).isCorrect === 'boolean',
    )
  );
}
