import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsOptional } from 'class-validator';
import { EXAMPLE_CATEGORY } from '../../catalog/discovery/discovery.dto';
import { EXAMPLE_QUIZ, NOT_OWNER, QUIZ_NOT_FOUND } from '../../catalog/quizzes/quizzes.dto';
import {
  DIFFICULTIES,
  type Difficulty,
  QUIZ_STATES,
  type QuizState,
  rulesOf,
  SHORTEST_TIME_LIMIT,
} from '../../catalog/vocabulary';
import {
  BooleanField,
  EachItem,
  LanguageField,
  OneOfField,
  TextField,
  WholeField,
} from '../../platform/http/request/text-fields';
import { partial, PatchBody } from '../../platform/http/request/validation.pipe';
import { LIMITS } from '../../platform/limits/limits';
import type { Failure } from '../../platform/openapi/failures';
import { Choice, Example, Field, Named, Whole } from '../../platform/openapi/fields';
import { codePoints, tidy } from '../../platform/text/text.rules';

/** The responses and errors of creating quizzes and importing questions (specification 4.4 and 4.7). */

export class CreatedQuiz {
  /** The id of the quiz, for its URLs in the API. */
  @Example(EXAMPLE_QUIZ) id!: string;
  /** The title of the quiz. Two quizzes may have the same one. @example "Rivers of Europe" */
  title!: string;
  /**
   * The description that players read before they start; null if there is none.
   * @example "From source to sea."
   */
  description!: string | null;
  /** The name of its category; null if it has none. @example "Rivers & Lakes" */
  category!: string | null;
  /** The id of its category; null for a name of your own. */
  @Example(EXAMPLE_CATEGORY)
  categoryId!: string | null;
  @Named('Difficulty') difficulty!: Difficulty;
  /** The tags of the quiz. Lists can be filtered by them. @example ["rivers"] */
  tags!: string[];
  /** Whether it is published. @example true */
  published!: boolean;
  /** Whether it is featured. @example false */
  featured!: boolean;
}

export class EditedQuiz extends CreatedQuiz {
  /**
   * `draft`: not published. `pending`: published, and waits for review. `live`: anyone can play it. `rejected`: an
   * administrator has rejected it.
   * @example live
   */
  @Choice(QUIZ_STATES)
  state!: QuizState;
  /** Why it was rejected; null if it was not, or was approved since. */
  @Example(null)
  rejectionReason!: string | null;
  /** The time limit of an attempt in seconds; null: none. @example 600 */
  @Whole()
  timeLimit!: number | null;
  /** How many attempts each player has; null: any number. @example 2 */
  @Whole()
  maxAttempts!: number | null;
  /** Whether a typed answer with one typing error counts as correct. @example false */
  acceptTypos!: boolean;
  /** How many questions each attempt draws; null: all of them. @example 20 */
  @Whole()
  questionsPerAttempt!: number | null;
  /** The language of its texts (BCP 47); null: not said. @example en */
  language!: string | null;
}

export const QUIZ_LIMIT_REACHED: Failure = {
  status: 403,
  name: 'quota-reached',
  title: 'The account owns as many quizzes as its plan allows',
  error:
    'Your Starter plan allows 25 quizzes, and you have reached that limit. Delete a quiz or upgrade your plan.',
  fix: 'Delete a quiz, or upgrade the plan. You can still add questions to existing quizzes.',
};

/** Errors of everything that changes a quiz. */
export const OWNED_QUIZ: Failure[] = [QUIZ_NOT_FOUND, NOT_OWNER];

export const NOT_REJECTED: Failure = {
  status: 409,
  name: 'not-rejected',
  title: 'The quiz is not rejected',
  error: 'Only a rejected quiz can be resubmitted.',
  fix: 'Look at the `state` of the quiz: a draft is published with `PATCH`, a pending quiz waits for review.',
};

/** CreatedQuiz (specification, part 2) */
export function toCreatedQuiz({ id, title, description, ...quiz }: CreatedQuiz): CreatedQuiz {
  const { category, categoryId, difficulty, tags, published, featured } = quiz;
  return { id, title, description, category, categoryId, difficulty, tags, published, featured };
}

export function toEditedQuiz(quiz: EditedQuiz): EditedQuiz {
  const { state, rejectionReason, language } = quiz;
  return { ...toCreatedQuiz(quiz), state, rejectionReason, ...rulesOf(quiz), language };
}

const { quizTitle, quizDescription, categoryName, tagsPerQuiz, tag: tagText } = LIMITS.content;

/** At most 20 tags: texts that are not blank, of at most 50 characters (specification, part 8). */
const TagsField = () =>
  applyDecorators(
    Field({
      type: 'array',
      nullable: true,
      optional: true,
      maxItems: tagsPerQuiz.value,
      items: { type: 'string', minLength: 1, maxLength: tagText.value },
    }),
    Transform(({ value }: { value: unknown }) =>
      Array.isArray(value)
        ? value.map((tag: unknown) => (typeof tag === 'string' ? tidy(tag) : tag))
        : value,
    ),
    IsArray({ message: '$path must be an array of strings' }),
    ArrayMaxSize(tagsPerQuiz.value, {
      message: `$path must hold at most ${tagsPerQuiz.value} tags`,
    }),
    EachItem('itemType', (tag) => typeof tag === 'string', 'must be a string'),
    EachItem('blank', (tag) => tag !== '', 'must not be blank'),
    EachItem(
      'tooLong',
      (tag) => typeof tag !== 'string' || codePoints(tag) <= tagText.value,
      `is longer than ${tagText.value} characters`,
    ),
    IsOptional(),
  );

/** CreateQuizRequest (specification, part 2). Lengths count code points after trimming. */
export class CreateQuizRequest {
  /** The title that players and lists show. @example "Rivers of Europe" */
  @TextField({ max: quizTitle.value })
  title!: string;

  /** The difficulty of the quiz as a whole. Each question has its own. @example MEDIUM */
  @OneOfField(DIFFICULTIES)
  difficulty!: Difficulty;

  /** What players read before they start. @example "From source to sea." */
  @TextField({ max: quizDescription.value, optional: true })
  description?: string | null;

  /**
   * The name of a category, or one of your own. A known name is linked to its category, ignoring case.
   * @example "Rivers & Lakes"
   */
  @TextField({ max: categoryName.value, optional: true })
  category?: string | null;

  /** The id of a category, from the list of categories. Takes precedence over `category`. */
  // Without an example, which would be the id of no category: the example body can be sent as it is.
  @TextField({ optional: true })
  categoryId?: string | null;

  /** Its tags. Each counts once, ignoring case. @example ["rivers", "europe"] */
  @TagsField()
  tags?: string[] | null;

  /**
   * The language of its texts, as a BCP 47 tag such as `de` or `pt-BR`; null: not said. It is stored in canonical form.
   * @example en
   */
  @LanguageField()
  language?: string | null;

  /**
   * Publish the quiz. It becomes public once approved. A quiz without questions can be published, but not played until
   * it has one.
   * @example true
   */
  @BooleanField({ optional: true })
  published: boolean = false;

  /** Honoured for administrators only, ignored for others. */
  @BooleanField({ optional: true })
  featured: boolean = false;

  /**
   * The time limit of an attempt in seconds; null: none. What is answered in time is scored.
   * @example 600
   */
  @WholeField({
    optional: true,
    unit: 'seconds',
    minimum: SHORTEST_TIME_LIMIT,
    maximum: LIMITS.content.timeLimit.value,
  })
  timeLimit?: number | null;

  /** How many attempts each player has; null: any number. @example 2 */
  @WholeField({ optional: true, minimum: 1, maximum: LIMITS.content.attemptsPerPlayer.value })
  maxAttempts?: number | null;

  /**
   * Whether a typed answer with one typing error counts as correct, if the accepted text has six letters or more.
   * @example false
   */
  @BooleanField({ optional: true })
  acceptTypos: boolean = false;

  /**
   * How many questions each attempt draws from the quiz, each with the same chance; null: all of them. At most as many
   * as the quiz has, once it has any. If it has fewer later, all of them are asked.
   */
  // Without a number as its example: the example body can be sent as it is, also to a quiz of one question.
  @Example(null)
  @WholeField({ optional: true, minimum: 1, maximum: LIMITS.content.questionsPerQuiz.value })
  questionsPerAttempt?: number | null;
}

/** Body of POST /quizzes/{id}/copy. */
export class CopyQuizRequest {
  /** The title of the copy. Without it the copy is called “Rivers of Europe (copy)”. @example "Rivers of Europe, class 7b" */
  @TextField({ max: quizTitle.value, optional: true })
  title?: string | null;
}

/** Any of the same fields. null clears what may be missing at creation. */
@PatchBody()
export class UpdateQuizRequest extends partial(CreateQuizRequest) {}
