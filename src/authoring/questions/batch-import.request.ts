import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  ValidateBy,
  type ValidationArguments,
} from 'class-validator';
import { EXAMPLE_QUESTION } from '../../catalog/resources';
import {
  DIFFICULTIES,
  QUESTION_TYPES,
  type Difficulty,
  type QuestionType,
} from '../../catalog/vocabulary';
import {
  ObjectsField,
  BooleanField,
  EachItem,
  OneOfField,
  TextField,
} from '../../platform/http/request/text-fields';
import { PatchBody } from '../../platform/http/request/validation.pipe';
import { LIMITS } from '../../platform/limits/limits';
import { Field } from '../../platform/openapi/fields';
import {
  answerCountError,
  correctAnswersError,
  repeatedAnswer,
  type AnswerInput,
} from './question.rules';

type Check = (type: QuestionType, answers: unknown[]) => string | null;

/**
 * The rules for a question's answers as a whole. They skip answers that are invalid by themselves.
 * @param fewest accepted answers of an OPEN_ENDED question
 */
const AnswersKeepTheRules = (fewest: 1 | 2) =>
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

/** On one line, whatever it contains. */
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

const { questionText, answerText, explanationText, answersPerQuestion, questionsPerQuiz } =
  LIMITS.content;

class BatchAnswerInput {
  @TextField({
    max: answerText.value,
    description: 'The answer as players read it; of OPEN_ENDED a spelling that is accepted.',
    example: 'The Danube',
  })
  text!: string;

  @BooleanField({
    description: 'Whether it is correct. Of OPEN_ENDED: whether it is accepted.',
    example: true,
  })
  isCorrect!: boolean;
}

const ANSWERS = {
  description:
    'At least two, no two alike. MULTIPLE_CHOICE and OPEN_ENDED: at least one is correct. TRUE_FALSE: exactly two, of which one is correct.',
  minItems: 2,
  maxItems: answersPerQuestion.value,
  example: [
    { text: 'The Danube', isCorrect: true },
    { text: 'The Rhine', isCorrect: false },
  ],
};

class QuestionParts {
  @TextField({
    max: questionText.value,
    description: 'The question.',
    example: 'Which river flows through Vienna?',
  })
  text!: string;

  @OneOfField(QUESTION_TYPES, { description: 'The kind of question.', example: 'MULTIPLE_CHOICE' })
  type!: QuestionType;

  @OneOfField(DIFFICULTIES, {
    description: 'The difficulty of this question. Lists can be filtered by it.',
    example: 'EASY',
  })
  difficulty!: Difficulty;

  @TextField({
    max: explanationText.value,
    optional: true,
    description: 'Why the correct answer is correct.',
    example: 'The Danube flows through ten countries.',
  })
  explanation?: string | null;
}

/** A question of a file, or of the dashboard's form. */
export class QuestionInput extends QuestionParts {
  @ObjectsField(() => BatchAnswerInput, 'answers, each {"text": …, "isCorrect": …}')
  @AnswersKeepTheRules(1)
  answers!: BatchAnswerInput[];
}

/** BatchQuestionInput (specification, part 2): an OPEN_ENDED question has at least two accepted answers. */
export class BatchQuestionInput extends QuestionParts {
  @ObjectsField(() => BatchAnswerInput, 'answers, each {"text": …, "isCorrect": …}', ANSWERS)
  @AnswersKeepTheRules(2)
  answers!: BatchAnswerInput[];
}

/** Any of the same fields. */
@PatchBody({ merged: true })
export class UpdateQuestionRequest extends BatchQuestionInput {}

export class OrderQuestionsRequest {
  @Field({
    type: 'array',
    description: 'The ids of all questions of the quiz, in the new order.',
    maxItems: questionsPerQuiz.value,
    items: { type: 'string' },
    example: [EXAMPLE_QUESTION],
  })
  @IsArray({ message: '$path must be an array of ids' })
  @ArrayMaxSize(questionsPerQuiz.value, {
    message: `$path must hold at most ${questionsPerQuiz.value} ids`,
  })
  @EachItem('itemType', (id) => typeof id === 'string', 'must be text')
  ids!: string[];
}

/** 1 to 50 new questions. */
export const QuestionsField = () =>
  applyDecorators(
    // Of too many questions only the first ones are validated: validating thousands would block the event loop.
    Transform(({ value }) => (Array.isArray(value) ? value.slice(0, 51) : value) as unknown),
    ObjectsField(() => BatchQuestionInput, 'questions', {
      description: 'The questions, in the order they shall have.',
      minItems: 1,
      maxItems: 50,
    }),
    ArrayMinSize(1, { message: '$path must hold at least 1 question' }),
    ArrayMaxSize(50, {
      message: '$path must hold at most 50 questions: send the rest in another request',
    }),
  );

/** Body of a batch import: all or nothing (specification 4.7). */
export class BatchImportRequest {
  @QuestionsField() questions!: BatchQuestionInput[];
}
