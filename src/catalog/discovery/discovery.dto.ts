import { ChoicesField } from '../../platform/http/request/query-fields';
import { Example, Field, ref, SchemaName, Whole } from '../../platform/openapi/fields';
import type { Schema } from '../../platform/openapi/openapi-objects';
import { DIFFICULTIES, type Difficulty, QUESTION_TYPES, type QuestionType } from '../vocabulary';

export const EXAMPLE_CATEGORY = '019a9f3e-6c00-7000-8000-000000000031';

const choice = (description: string, values: readonly string[], example: string): Schema => ({
  type: 'string',
  description,
  enum: values,
  examples: [example],
});

export const VOCABULARY_SCHEMAS: Record<string, Schema> = {
  Difficulty: choice(
    'The difficulty that the author has chosen. Lists can be filtered by it.',
    DIFFICULTIES,
    'MEDIUM',
  ),
  QuestionType: choice('The kind of question.', QUESTION_TYPES, 'MULTIPLE_CHOICE'),
};

export class MetadataStats {
  /** Public quizzes. @example 48 */
  @Whole() totalQuizzes!: number;
  /** Their questions. @example 567 */
  @Whole() totalQuestions!: number;
}

export class LanguageInUse {
  /** A BCP 47 tag, as the filter `language` takes it. @example de */
  language!: string;
  /** How many public quizzes the filter finds: of `de` also those in `de-AT`. @example 12 */
  @Whole() quizzes!: number;
}

export class Metadata {
  /** Every difficulty. */
  @Example(DIFFICULTIES)
  @Field({ type: 'array', items: ref('Difficulty') })
  difficulties!: Difficulty[];
  /** Every question type. */
  @Example(QUESTION_TYPES)
  @Field({ type: 'array', items: ref('QuestionType') })
  questionTypes!: QuestionType[];
  /** Names of categories in use, sorted. @example ["Rivers & Lakes"] */
  categories!: string[];
  /** Tags in use, the most used first; at most 100. @example ["rivers"] */
  tags!: string[];
  stats!: MetadataStats;
  /** With `include=languages`: the languages in use, the most used first; at most 200. */
  languages?: LanguageInUse[];
}

export class MetadataQuery {
  /** What to add: `languages` for the languages in use. @example ["languages"] */
  @ChoicesField(['languages'])
  include: 'languages'[] = [];
}

@SchemaName('Category')
export class CategoryWithCounts {
  /** Its id: the `categoryId` of a new quiz. */
  @Example(EXAMPLE_CATEGORY) id!: string;
  /** The name of the category, as the filter `category` takes it. @example "Rivers & Lakes" */
  name!: string;
  /** Its name in URLs. @example rivers-lakes */
  slug!: string;
  /** Its public quizzes. @example 4 */
  @Whole() quizCount!: number;
  /** The most used tags of its quizzes; at most 20. @example ["rivers"] */
  tags!: string[];
}

@SchemaName('Topic')
export class TopicWithCategories {
  /** The id of the topic. @example 019a9f3e-6c00-7000-8000-000000000030 */
  id!: string;
  /** The name of the topic, such as `Geography`. @example Geography */
  name!: string;
  /** Its name in URLs. @example geography */
  slug!: string;
  /** An emoji. @example 🌍 */
  icon!: string | null;
  /** The categories of the topic, in its order. */
  categories!: CategoryWithCounts[];
}
