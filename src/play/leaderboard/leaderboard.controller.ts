import { Controller, Get, Param } from '@nestjs/common';
import { NeedsKey } from '../../access/api-keys/api-key.guard';
import { KeyScope } from '../../access/api-keys/key-scope.decorator';
import { QUIZ_ID } from '../../catalog/quizzes/quizzes.dto';
import { Endpoints, PathId, Sends } from '../../platform/openapi/endpoint';
import { VisibleQuiz } from '../attempts/attempt-checks.decorator';
import { LeaderboardEntry } from './leaderboard.dto';
import { PLACES } from './leaderboard.rules';
import { LeaderboardService } from './leaderboard.service';

/** The leaderboard of a quiz (docs/playing.md). */
@Endpoints('Playing')
@Controller('quizzes/:id/leaderboard')
export class LeaderboardController {
  constructor(private readonly leaderboard: LeaderboardService) {}

  /**
   * Get the leaderboard of a quiz
   * @remarks The ten best players, each with their first attempt: by score, then by time. An attempt without an answer
   * is not ranked.
   * @returns At most ten entries, the best first.
   */
  @PathId(...QUIZ_ID)
  @Sends({ listOf: LeaderboardEntry, maxItems: PLACES })
  @NeedsKey()
  @KeyScope(['read', 'play'])
  @VisibleQuiz()
  @Get()
  async getLeaderboard(@Param('id') quizId: string) {
    return { success: true, data: await this.leaderboard.top(quizId) };
  }
}
