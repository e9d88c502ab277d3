import { applyDecorators } from '@nestjs/common';
import { Transform } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsOptional, IsString } from 'class-validator';
import { DIFFICULTIES, type Difficulty } from '../../catalog/vocabulary';
import { Invalid } from '../../platform/errors/domain-errors';
import {
  BooleanField,
  OneOfField,
  TextField,
  EachItem,
  WholeField,
} from '../../platform/http/request/text-fields';
import { LIMITS } from '../../platform/limits/limits';
import { Field, type FieldDescription } from '../../platform/openapi/fields';
import { PatchBody } from '../../platform/http/request/validation.pipe';
import { codePoints, fold, tidy } from '../../platform/text/text.rules';
import { QuestionsField, type BatchQuestionInput } from '../questions/batch-import.request';

const MOST = 20;
const LONGEST_TAG = 50;

/** At most 20 tags: texts that are not blank, of at most 50 characters (specification, part 8). */
const TagsField = (words: FieldDescription) =>
  applyDecorators(
    Field({
      type: 'array',
      nullable: true,
      optional: true,
      maxItems: MOST,
      items: { type: 'string', minLength: 1, maxLength: LONGEST_TAG },
      ...words,
    }),
    Transform(({ value }: { value: unknown }) =>
      Array.isArray(value)
        ? value.map((tag: unknown) => (typeof tag === 'string' ? tidy(tag) : tag))
        : value,
    ),
    IsArray({ message: '$path must be an array of texts' }),
    ArrayMaxSize(MOST, { message: `$path must hold at most ${MOST} tags` }),
    EachItem('itemType', (tag) => typeof tag === 'string', 'must be text'),
    EachItem('blank', (tag) => tag !== '', 'must not be blank'),
    EachItem(
      'tooLong',
      (tag) => typeof tag !== 'string' || codePoints(tag) <= LONGEST_TAG,
      `is longer than ${LONGEST_TAG} characters`,
    ),
    IsOptional(),
  );

/** CreateQuizRequest (specification, part 2). Lengths count code points after trimming. */
export class CreateQuizRequest {
  @TextField({
    max: 200,
    description: 'The title that players and lists show.',
    example: 'Rivers of Europe',
  })
  title!: string;

  @OneOfField(DIFFICULTIES, {
    description: 'The difficulty of the quiz as a whole. Each question has its own.',
    example: 'MEDIUM',
  })
  difficulty!: Difficulty;

  @TextField({
    max: 2000,
    optional: true,
    description: 'What players read before they start.',
    example: 'From source to sea.',
  })
  description?: string | null;

  @TextField({
    max: 100,
    optional: true,
    description:
      'The name of a category, or one of your own. A known name is linked to its category, ignoring case.',
    example: 'Rivers & Lakes',
  })
  category?: string | null;

  // Without an example, which would be the id of no category: the example body can be sent as it is.
  @TextField({
    optional: true,
    description:
      'The id of a category, from the list of categories. Takes precedence over `category`.',
  })
  categoryId?: string | null;

  @TagsField({
    description: 'Its tags. Each counts once, ignoring case.',
    example: ['rivers', 'europe'],
  })
  tags?: string[] | null;

  @BooleanField({
    optional: true,
    description:
      'Publish the quiz. It becomes public once approved. A quiz without questions can be published, but not played until it has one.',
    example: true,
  })
  published: boolean = false;

  @BooleanField({
    optional: true,
    description: 'Honoured for administrators only, ignored for others.',
  })
  featured: boolean = false;

  @WholeField({
    optional: true,
    description:
      'The time limit of an attempt in seconds; null: none. What is answered in time is scored.',
    unit: 'seconds',
    minimum: 10,
    maximum: LIMITS.content.timeLimit.value,
    example: 600,
  })
  timeLimit?: number | null;

  @WholeField({
    optional: true,
    description: 'How many attempts each player has; null: any number.',
    minimum: 1,
    maximum: LIMITS.content.attemptsPerPlayer.value,
    example: 2,
  })
  maxAttempts?: number | null;
}

/** Any of the same fields. null clears what may be missing at creation. */
@PatchBody()
export class UpdateQuizRequest extends CreateQuizRequest {}

/** The rules of play that a request sets; one that it leaves out stays. */
export const rulesOf = ({ timeLimit, maxAttempts }: Partial<CreateQuizRequest>) => ({
  ...(timeLimit !== undefined && { timeLimit }),
  ...(maxAttempts !== undefined && { maxAttempts }),
});

/**
 * For people who publish. Programs may publish first and add the questions then (specification 4.4).
 * @throws Invalid
 */
export function requirePlayable(questionCount: number): void {
  if (questionCount > 0) return;
  const message =
    'This quiz has no questions yet, so nobody could play it. Add one, then publish it';
  throw new Invalid('The quiz', [{ path: '', message, code: 'empty' }]);
}

/** Each tag once, ignoring case; the first spelling is kept. */
export function distinctTags(tags: readonly string[]): string[] {
  const byKey = new Map<string, string>();
  for (const tag of tags) if (!byKey.has(fold(tag))) byKey.set(fold(tag), tag);
  return [...byKey.values()];
}

/** A quiz with its questions, in one request. `published` and `featured` are ignored: it is a draft. */
export class WriteQuizRequest extends CreateQuizRequest {
  @QuestionsField() questions!: BatchQuestionInput[];

  @BooleanField({ optional: true }) dryRun: boolean = false;

  @TextField({ max: 100, optional: true }) writtenBy?: string | null;
}

/** Question changes as they were sent: each is valid or not together with the question that is stored. */
export interface QuestionChange {
  id: string;
  [field: string]: unknown;
}

const AT_ONCE = LIMITS.content.changesPerEdit.value;

const ListField = (most: number, of: string, isItem: (item: unknown) => boolean, message: string) =>
  applyDecorators(
    IsArray({ message: `$path must be an array of ${of}` }),
    ArrayMaxSize(most, { message: `$path must hold at most ${most} ${of}: send the rest later` }),
    EachItem('itemType', isItem, message),
    IsOptional(),
  );
const isText = (item: unknown) => typeof item === 'string';
const hasId = (item: unknown) => isText((item as { id?: unknown } | null)?.id);

/** Several changes of a quiz and its questions that are made together or not at all, in this order. */
export class EditQuizRequest {
  @IsString({ message: '$path must be the id of a quiz' }) id!: string;

  /** The version that the changes are based on; absent: any. */
  @IsOptional()
  @IsString({ message: '$path must be the revision that the quiz was read with' })
  revision?: string | null;

  /** Its texts, validated as UpdateQuizRequest. */
  @IsOptional() quiz?: unknown;

  @ListField(AT_ONCE, 'changes', hasId, 'must be an object with the `id` of a question')
  change?: QuestionChange[] | null;

  @ListField(AT_ONCE, 'ids', isText, 'must be the id of a question') remove?: string[] | null;

  @IsOptional() @QuestionsField() add?: BatchQuestionInput[] | null;

  /** The ids of all its questions. */
  @ListField(LIMITS.content.questionsPerQuiz.value, 'ids', isText, 'must be the id of a question')
  order?: string[] | null;

  @TextField({ max: 100, optional: true }) writtenBy?: string | null;
}
