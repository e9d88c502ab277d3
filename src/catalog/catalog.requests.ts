import { IsNotEmpty, IsString } from 'class-validator';
import { LIMITS } from '../platform/limits/limits';
import { Field, type FieldDescription } from '../platform/openapi/fields';
import { fold } from '../platform/text/text.rules';
import {
  ChoiceField,
  ChoicesField,
  FlagField,
  IdsField,
  LimitField,
  NamesField,
  OffsetField,
  QueryText,
} from '../platform/http/request/query-fields';
import { QUIZ_ORDERS, type QuizOrder } from './quizzes/quiz.queries';
import { EXAMPLE_QUESTION, EXAMPLE_QUIZ } from './resources';
import {
  DIFFICULTIES,
  QUESTION_TYPES,
  QUIZ_STATES,
  type Difficulty,
  type QuestionType,
  type QuizState,
} from './vocabulary';

const folded = (text: string) => fold(text) || undefined;

/** Of quizzes, or of the quizzes whose questions are browsed. */
const TAGS: FieldDescription = { description: 'Tags', example: ['rivers', 'europe'] };
/** Ours: `all` asks for quizzes that carry every one of the tags. */
const TAGS_MATCH: FieldDescription = {
  description: '`any`: one of the tags is enough. `all`: every one of them is needed.',
};

const TOPIC = {
  max: 200,
  read: folded,
  description: 'Text that the title, the description or a tag contains, ignoring case.',
  example: 'river',
};

/** Query of GET /quizzes (specification 4.3). An empty filter is ignored. */
export class ListQuizzesQuery {
  // One name in the specification: a name with a comma is found as it is.
  @NamesField(
    { description: 'Names of categories', example: ['Rivers & Lakes'] },
    { orWhole: true },
  )
  category: string[] = [];

  /** In upper case, as the specification has it here; GET /questions ignores case. */
  @ChoicesField(DIFFICULTIES, {
    description: 'Difficulties, separated by commas or the parameter repeated; in upper case.',
    example: ['EASY', 'MEDIUM'],
  })
  difficulty: Difficulty[] = [];

  @NamesField(TAGS)
  tags: string[] = [];

  @ChoiceField(['any', 'all'], TAGS_MATCH)
  tags_match: 'any' | 'all' = 'any';

  @QueryText(TOPIC)
  topic?: string;

  @FlagField({
    description:
      'Only your own quizzes, in every state; each has its `state`, `rejectionReason` and `changes`.',
    example: true,
  })
  mine: boolean = false;

  @ChoiceField(QUIZ_STATES, { description: 'With `mine=true`: only quizzes in this state.' })
  state?: QuizState;

  @ChoiceField(QUIZ_ORDERS, {
    description:
      '`popular`: most played first. `newest`: last created first. `title`: alphabetical.',
  })
  sort: QuizOrder = 'popular';

  @LimitField('Maximum number of results.')
  limit: number = 10;

  @OffsetField('Number of results to skip. Past the end the page is empty.')
  offset: number = 0;
}

/** Query of GET /questions in quiz mode (specification 4.6, mode 1): other parameters are ignored. */
export class QuizQuestionsQuery {
  @Field({
    type: 'string',
    description:
      'Selects the mode: with it you get all questions of this quiz in order, and other filters are ignored. Without it you browse.',
    minLength: 1,
    example: EXAMPLE_QUIZ,
    // In the document `quiz_id` is one of the filters: only its mode requires it.
    optional: true,
  })
  @IsString()
  @IsNotEmpty({
    message: 'quiz_id must not be empty: give the id of a quiz, or leave it out to browse',
  })
  quiz_id!: string;

  @FlagField({
    description: 'With `quiz_id`: whether to include the answers. Browsing always includes them.',
    example: true,
  })
  include_answers: boolean = false;
}

/** The filters of GET /questions in browse mode, and the query of GET /questions/counts. */
export class QuestionFilterQuery {
  @NamesField({ description: 'Names of categories', example: ['Rivers & Lakes'] })
  category: string[] = [];

  /** Ignores case, unlike the quiz list. */
  @ChoicesField(
    DIFFICULTIES,
    {
      description: 'Difficulties, separated by commas or the parameter repeated; ignoring case.',
      example: ['EASY', 'MEDIUM'],
    },
    { read: (item) => item.toUpperCase() },
  )
  difficulty: Difficulty[] = [];

  @ChoicesField(QUESTION_TYPES, {
    description: 'Question types, separated by commas or the parameter repeated.',
    example: ['TRUE_FALSE'],
  })
  type: QuestionType[] = [];

  @NamesField(TAGS)
  tags: string[] = [];

  @ChoiceField(['any', 'all'], TAGS_MATCH)
  tags_match: 'any' | 'all' = 'any';

  @QueryText({ ...TOPIC, description: `Of the quiz: ${TOPIC.description}` })
  topic?: string;

  @IdsField(
    {
      description: 'Ids of questions to leave out, such as those a player has seen',
      example: [EXAMPLE_QUESTION],
    },
    LIMITS.requests.excludedQuestions.value,
  )
  exclude: string[] = [];
}

/** Query of GET /questions in browse mode (specification 4.6, mode 2). */
export class BrowseQuestionsQuery extends QuestionFilterQuery {
  @LimitField('How many results to send.')
  limit: number = 10;

  @OffsetField('Number of results to skip. Past the end the page is empty.')
  offset: number = 0;

  @QueryText({
    max: 200,
    description:
      'A position from `links.next`. With it, a page costs the same at any depth; `offset` still says where the page is.',
  })
  after?: string;

  @FlagField({
    description:
      'Shuffles all matching results before paging, so each request gets a different page. The links carry the `seed` of this shuffle.',
    example: true,
  })
  random: boolean = false;

  @QueryText({
    max: 200,
    description:
      'With `random=true`: makes the shuffle repeatable, so that the pages of one seed contain each question once.',
    example: 'today',
  })
  seed?: string;
}
