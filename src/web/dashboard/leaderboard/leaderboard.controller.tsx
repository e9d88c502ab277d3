import { Get, Param, Post } from '@nestjs/common';
import { LeaderboardModerationService } from '../../../play/leaderboard/leaderboard-moderation.service';
import { redirect, type PageResult } from '../../http/page-results';
import { Form, PostedForm } from '../../http/form';
import { SignedInPages } from '../../http/page-controller';
import { CurrentViewer, type Viewer } from '../../http/viewer';
import { LeaderboardPage } from './leaderboard.page';

/** For the quiz's owner, and for administrators. */
@SignedInPages('quizzes/:id/leaderboard')
export class LeaderboardController {
  constructor(private readonly moderation: LeaderboardModerationService) {}

  @Get()
  async show(@CurrentViewer() viewer: Viewer, @Param('id') id: string): Promise<PageResult> {
    return <LeaderboardPage {...await this.moderation.board(viewer, id)} />;
  }

  @Post('remove')
  async remove(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    await this.moderation.setHidden(viewer, id, form.text('attempt'), true);
    return redirect(
      `/dashboard/quizzes/${id}/leaderboard`,
      'The player is taken off the leaderboard.',
    );
  }

  @Post('restore')
  async restore(
    @CurrentViewer() viewer: Viewer,
    @Param('id') id: string,
    @PostedForm() form: Form,
  ): Promise<PageResult> {
    await this.moderation.setHidden(viewer, id, form.text('attempt'), false);
    return redirect(
      `/dashboard/quizzes/${id}/leaderboard`,
      'The player is back on the leaderboard.',
    );
  }
}
