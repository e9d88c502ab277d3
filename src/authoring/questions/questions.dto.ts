import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsArray,
  ValidateBy,
  type ValidationArguments,
} from 'class-validator';
import { QUESTION_NOT_FOUND, SingleQuestion } from '../../catalog/questions/questions.dto';
import {
  EXAMPLE_QUESTION,
  EXAMPLE_QUIZ,
  NOT_OWNER,
  QuizQuestionDetail,
} from '../../catalog/quizzes/quizzes.dto';
import {
  DIFFICULTIES,
  type Difficulty,
  QUESTION_FORMATS,
  QUESTION_TYPES,
  type QuestionFormat,
  type QuestionType,
} from '../../catalog/vocabulary';
import { Invalid } from '../../platform/errors/domain-errors';
import {
  BooleanField,
  EachItem,
  ObjectsField,
  OneOfField,
  TextField,
} from '../../platform/http/request/text-fields';
import { partial, PatchBody } from '../../platform/http/request/validation.pipe';
import { LIMITS } from '../../platform/limits/limits';
import { exampleFrom, type Failure } from '../../platform/openapi/failures';
import { Example, Field, Whole } from '../../platform/openapi/fields';
import { firstCodePoints } from '../../platform/text/text.rules';
import {
  answerCountError,
  type AnswerInput,
  correctAnswersError,
  repeatedAnswer,
} from './question.rules';

export class ImportedQuestions {
  /** The id of the quiz. */
  @Example(EXAMPLE_QUIZ) quizId!: string;
  /** How many there are. @example 1 */
  @Whole() questionsCreated!: number;
  /** The new questions. */
  questions!: QuizQuestionDetail[];
}

export const CONTENT_LIMIT: Failure = {
  status: 422,
  name: 'content-limit',
  title: 'The quiz or the account has no room for the questions',
  error:
    'A quiz holds at most 1,000 questions, and this one has 980. Put the rest into another quiz.',
  fix: 'Put the questions into another quiz, shorten them, or delete questions that are no longer needed. See the guide on limits.',
};

/** Errors of everything that changes a question. */
export const OWNED_QUESTION: Failure[] = [QUESTION_NOT_FOUND, NOT_OWNER];

export const notAPermutation = () => {
  const message =
    'ids must contain the id of every question of the quiz exactly once; fetch the quiz again for the current ids';
  return new Invalid(
    'The body',
    [{ path: 'ids', message, code: 'permutation' }],
    'not-a-permutation',
  );
};

export const NOT_A_PERMUTATION: Failure = {
  ...exampleFrom(notAPermutation()),
  name: 'not-a-permutation',
  title: 'The ids are not all questions of the quiz',
  fix: 'Read the quiz, and send the id of each of its questions once.',
};

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
const quoted = (text: string) => JSON.stringify(firstCodePoints(text, 100));

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

export class BatchAnswerInput {
  /**
   * The answer as players read it; of OPEN_ENDED a spelling that is accepted.
   * @example "The Danube"
   */
  @TextField({ max: answerText.value })
  text!: string;

  /** Whether it is correct. Of OPEN_ENDED: whether it is accepted. @example true */
  @BooleanField()
  isCorrect!: boolean;
}

const ANSWERS = {
  minItems: 2,
  maxItems: answersPerQuestion.value,
  example: [
    { text: 'The Danube', isCorrect: true },
    { text: 'The Rhine', isCorrect: false },
  ],
};

export class QuestionParts {
  /** The question. @example "Which river flows through Vienna?" */
  @TextField({ max: questionText.value })
  text!: string;

  /** The kind of question. @example MULTIPLE_CHOICE */
  @OneOfField(QUESTION_TYPES)
  type!: QuestionType;

  /** The difficulty of this question. Lists can be filtered by it. @example EASY */
  @OneOfField(DIFFICULTIES)
  difficulty!: Difficulty;

  /**
   * How its text, answers and explanation are written. `plain`: they are shown as they are. `markdown`: in Markdown, with
   * formulas in TeX between dollar signs.
   * @default plain
   * @example plain
   */
  @OneOfField(QUESTION_FORMATS, { optional: true })
  format?: QuestionFormat;

  /** Why the correct answer is correct. @example "The Danube flows through ten countries." */
  @TextField({ max: explanationText.value, optional: true })
  explanation?: string | null;
}

/** A question of a file, or of the dashboard's form. */
export class QuestionInput extends QuestionParts {
  @ObjectsField(BatchAnswerInput, 'answers, each {"text": …, "isCorrect": …}')
  @AnswersKeepTheRules(1)
  answers!: BatchAnswerInput[];
}

/** BatchQuestionInput (specification, part 2): an OPEN_ENDED question has at least two accepted answers. */
export class BatchQuestionInput extends QuestionParts {
  /**
   * At least two, no two alike. MULTIPLE_CHOICE and OPEN_ENDED: at least one is correct. TRUE_FALSE: exactly two, of
   * which one is correct.
   */
  @ObjectsField(BatchAnswerInput, 'answers, each {"text": …, "isCorrect": …}', ANSWERS)
  @AnswersKeepTheRules(2)
  answers!: BatchAnswerInput[];
}

/** Any of the same fields. */
@PatchBody({ merged: true })
export class UpdateQuestionRequest extends partial(BatchQuestionInput) {}

/** Of PATCH /questions/{id}. */
export class EditedQuestion extends SingleQuestion {
  /**
   * Submitted attempts that were scored by an earlier key of this question; null if neither `answers` nor `type` was
   * sent. `POST /quizzes/{id}/regrade` scores them again.
   * @example 29
   */
  @Whole() earlierAttempts!: number | null;
}

export class OrderQuestionsRequest {
  /** The ids of all questions of the quiz, in the new order. */
  @Example([EXAMPLE_QUESTION])
  @Field({ type: 'array', maxItems: questionsPerQuiz.value, items: { type: 'string' } })
  @IsArray({ message: '$path must be an array of ids' })
  @ArrayMaxSize(questionsPerQuiz.value, {
    message: `$path must hold at most ${questionsPerQuiz.value} ids`,
  })
  @EachItem('itemType', (id) => typeof id === 'string', 'must be a string')
  ids!: string[];
}

const MOST_AT_ONCE = LIMITS.content.questionsPerRequest.value;

export class CopyQuestionsRequest {
  /** The ids of 1 to 50 questions, in the order that they shall have. */
  @Example([EXAMPLE_QUESTION])
  @Field({ type: 'array', minItems: 1, maxItems: MOST_AT_ONCE, items: { type: 'string' } })
  @IsArray({ message: '$path must be an array of ids' })
  @ArrayMinSize(1, { message: '$path must hold at least 1 id' })
  @ArrayMaxSize(MOST_AT_ONCE, {
    message: `$path must hold at most ${MOST_AT_ONCE} ids: send the rest in another request`,
  })
  @EachItem('itemType', (id) => typeof id === 'string', 'must be a string')
  @ArrayUnique((id) => (typeof id === 'string' ? id.toLowerCase() : id) as unknown, {
    message: '$path must hold each id once',
  })
  ids!: string[];

  /** Whether the questions leave the quizzes that they are in, which must be your own. @default false */
  @BooleanField({ optional: true })
  move?: boolean;
}

/** 1 to 50 new questions. */
export const QuestionsField = () =>
  applyDecorators(
    // Of too many questions only the first ones are validated: validating thousands would block the event loop.
    Transform(
      ({ value }) => (Array.isArray(value) ? value.slice(0, MOST_AT_ONCE + 1) : value) as unknown,
    ),
    ObjectsField(BatchQuestionInput, 'questions', { minItems: 1, maxItems: MOST_AT_ONCE }),
    ArrayMinSize(1, { message: '$path must hold at least 1 question' }),
    ArrayMaxSize(MOST_AT_ONCE, {
      message: `$path must hold at most ${MOST_AT_ONCE} questions: send the rest in another request`,
    }),
  );

/** Body of a batch import: all or nothing (specification 4.7). */
export class BatchImportRequest {
  /** The questions, in the order they shall have. */
  @QuestionsField()
  questions!: BatchQuestionInput[];
}
