import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import {
  ArrayMaxSize,
  ArrayMinSize,
  IsArray,
  IsObject,
  IsOptional,
  IsString,
  ValidateBy,
} from 'class-validator';
import { EXAMPLE_ANSWERS, EXAMPLE_QUESTION } from '../../catalog/quizzes/quizzes.dto';
import {
  DIFFICULTIES,
  QUESTION_TYPES,
  type Difficulty,
  type QuestionType,
} from '../../catalog/vocabulary';
import { list } from '../../platform/http/request/query-fields';
import {
  BooleanField,
  EachItem,
  MaxCodePoints,
  NotBlank,
  TextField,
  WholeField,
  Nested,
} from '../../platform/http/request/text-fields';
import { LIMITS } from '../../platform/limits/limits';
import { Example, Field } from '../../platform/openapi/fields';
import { fold } from '../../platform/text/text.rules';
import { hasInvisible, onOneLine, RESERVED } from './visitor.rules';

/** Body of POST /quizzes/{id}/attempts (docs/playing.md). */
export class StartAttemptRequest {
  /**
   * Your own ID for the player, not beginning with `web:` and without invisible characters. The leaderboard shows it,
   * so do not use an e-mail address.
   * @example user-17
   */
  // An id chosen by the caller, on one line and in Unicode's composed form, as names on the player's page are.
  @Field({ type: 'string', maxLength: 100, minLength: 1, pattern: '\\S' })
  @Transform(({ value }: { value: unknown }) =>
    typeof value === 'string' ? onOneLine(value) : value,
  )
  @IsString({ message: '$path must be a string' })
  @NotBlank()
  @MaxCodePoints(100)
  @ValidateBy({
    name: 'reserved',
    validator: {
      validate: (value: unknown) =>
        typeof value !== 'string' || !value.toLowerCase().startsWith(RESERVED),
      defaultMessage: () =>
        `$path must not begin with "${RESERVED}", which is reserved for visitors of the player's page`,
    },
  })
  @ValidateBy({
    name: 'invisible',
    validator: {
      validate: (value: unknown) => typeof value !== 'string' || !hasInvisible(value),
      defaultMessage: () =>
        '$path must not contain invisible characters, such as a zero-width space: remove them',
    },
  })
  player!: string;

  /** Whether to shuffle the questions too; answers always are. @example true */
  @BooleanField({ optional: true })
  shuffle: boolean = false;

  /** Whether each answer is graded immediately. @example false */
  @BooleanField({ optional: true })
  reveal: boolean = false;
}

/** Several values as an array, or as a text separated by commas like the parameters of browsing. */
const ListOfStrings = (read: (item: string) => string, values?: readonly string[]) => {
  const most = LIMITS.requests.listItems.value;
  const items = { type: 'string', ...(values && { enum: values }) };
  const one = values ? `one of: ${values.join(', ')}` : 'text';
  return applyDecorators(
    Field({
      continued: `: an array of at most ${most}, or text separated by commas.`,
      anyOf: [{ type: 'array', items, maxItems: most }, { type: 'string' }],
      optional: true,
    }),
    Transform(({ value }: { value: unknown }) => {
      const given = typeof value === 'string' ? list(value) : ([value ?? []].flat() as unknown[]);
      const texts = given.map((item) => (typeof item === 'string' ? read(item) : item));
      return [...new Set(texts.filter((text) => text !== ''))];
    }),
    ArrayMaxSize(most, { message: `$path must list at most ${most} values` }),
    EachItem(
      'itemType',
      (item) => typeof item === 'string' && (!values || values.includes(item)),
      `must be ${one}`,
    ),
  );
};

/** Which questions an attempt across quizzes draws from: the filters of browsing. */
export class AttemptFilter {
  /** Names of categories. @example ["Rivers & Lakes"] */
  @ListOfStrings(fold)
  category: string[] = [];

  /** Difficulties. @example ["EASY", "MEDIUM"] */
  @ListOfStrings((item) => item.toUpperCase(), DIFFICULTIES)
  difficulty: Difficulty[] = [];

  /** Question types. @example ["MULTIPLE_CHOICE"] */
  @ListOfStrings((item) => item, QUESTION_TYPES)
  type: QuestionType[] = [];

  /** Tags, of which one is enough. @example ["rivers"] */
  @ListOfStrings(fold)
  tags: string[] = [];
}

/** Body of POST /attempts (docs/playing.md). */
export class DrawAttemptRequest extends StartAttemptRequest {
  /** Absent: all questions. */
  @Field({ type: AttemptFilter, optional: true })
  @IsOptional()
  @IsObject({ message: '$path must be an object' })
  @Nested(() => AttemptFilter)
  filter?: AttemptFilter | null;

  /** How many questions to draw. If fewer match, the attempt has those. @example 10 */
  @WholeField({ minimum: 1, maximum: LIMITS.requests.drawnQuestions.value })
  count!: number;
}

/** Body of POST /attempts/{id}/answers (docs/playing.md): one of `answerIds` and `text`. */
export class AnswerRequest {
  /** A question of this attempt. */
  @Example(EXAMPLE_QUESTION)
  @TextField()
  questionId!: string;

  /** What was chosen. TRUE_FALSE takes exactly one. */
  @Example([EXAMPLE_ANSWERS[0]])
  @Field({ type: 'array', nullable: true, optional: true, items: { type: 'string' }, minItems: 1 })
  @IsOptional()
  @IsArray({ message: '$path must be an array of answer ids' })
  @IsString({ each: true, message: '$path must be an array of answer ids' })
  @ArrayMinSize(1, { message: '$path must hold at least 1 answer id' })
  answerIds?: string[] | null;

  /** The typed answer. */
  @Example(null)
  @TextField({ max: 1000, optional: true, filled: true })
  text?: string | null;
}
