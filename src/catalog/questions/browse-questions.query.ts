import { Transform } from 'class-transformer';
import { IsIn, IsNotEmpty, IsOptional, IsString } from 'class-validator';
import { MaxCodePoints } from '../../platform/http/request/text-fields';
import { ChoiceField, ChoicesField, LimitField, NamesField, OffsetField } from '../query-fields';
import { DIFFICULTIES, QUESTION_TYPES, type Difficulty, type QuestionType } from '../vocabulary';

/** Query of GET /questions in browse mode (specification 4.6, mode 2). */
export class BrowseQuestionsQuery {
  @NamesField()
  category: string[] = [];

  /** In any case here, unlike in the quiz list. */
  @ChoicesField(DIFFICULTIES, (item) => item.toUpperCase())
  difficulty: Difficulty[] = [];

  @ChoicesField(QUESTION_TYPES)
  type: QuestionType[] = [];

  @NamesField()
  tags: string[] = [];

  /** Ours: `all` asks for quizzes that carry every one of the tags. */
  @ChoiceField(['any', 'all'])
  tags_match: 'any' | 'all' = 'any';

  @LimitField()
  limit: number = 10;

  @OffsetField()
  offset: number = 0;

  /** Only the value `true` shuffles. */
  @Transform(({ value }) => value === 'true')
  @IsIn([true, false])
  random: boolean = false;

  /** Ours: makes the shuffle repeatable, so that pages with one seed walk every question once. */
  @IsOptional()
  @MaxCodePoints(200)
  seed?: string;
}

/** Query of GET /questions in quiz mode (specification 4.6, mode 1): the rest is ignored. */
export class QuizQuestionsQuery {
  @IsString()
  @IsNotEmpty({
    message: 'quiz_id must not be empty: give the id of a quiz, or leave it out to browse',
  })
  quiz_id!: string;

  /** Only the value `true` includes them. */
  @Transform(({ value }) => value === 'true')
  @IsIn([true, false])
  include_answers: boolean = false;
}
