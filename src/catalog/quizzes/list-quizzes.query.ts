import { Transform } from 'class-transformer';
import { IsOptional, IsString } from 'class-validator';
import { fold } from '../../platform/text/text.rules';
import { MaxCodePoints } from '../../platform/http/request/text-fields';
import { ChoiceField, LimitField, NamesField, OffsetField } from '../query-fields';
import { QUIZ_ORDERS, type QuizOrder } from './quiz-list.queries';
import { DIFFICULTIES, type Difficulty } from '../vocabulary';

/** Query of GET /quizzes (specification 4.3). Empty texts narrow nothing. */
export class ListQuizzesQuery {
  @IsOptional()
  @Transform(({ value }) => fold(value as string) || undefined)
  @IsString()
  category?: string;

  @ChoiceField(DIFFICULTIES)
  difficulty?: Difficulty;

  @NamesField()
  tags: string[] = [];

  /** Ours: `all` asks for quizzes that carry every one of the tags. */
  @ChoiceField(['any', 'all'])
  tags_match: 'any' | 'all' = 'any';

  @IsOptional()
  @Transform(({ value }) => fold(value as string) || undefined)
  @MaxCodePoints(200)
  topic?: string;

  @ChoiceField(QUIZ_ORDERS)
  sort: QuizOrder = 'popular';

  @LimitField()
  limit: number = 10;

  @OffsetField()
  offset: number = 0;
}
