import { Param, Post } from '@nestjs/common';
import { QuizEditingService } from '../../../authoring/quizzes/quiz-editing.service';
import { redirect, type PageResult } from '../../http/page-results';
import { SignedInPages } from '../../http/page-controller';
import { CurrentViewer, type Viewer } from '../../http/viewer';

/** The buttons of a quiz's page. */
@SignedInPages('quizzes')
export class QuizActionsController {
  constructor(private readonly editing: QuizEditingService) {}

  @Post(':id/publish')
  async publish(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
  ): Promise<PageResult> {
    const { title, state } = await this.editing.publish(accountId, id);
    return redirect(
      `/dashboard/quizzes/${id}`,
      state === 'live'
        ? `“${title}” is live: everybody can read and play it.`
        : `“${title}” is published. Everybody sees it when an administrator has approved it.`,
    );
  }

  @Post(':id/unpublish')
  async unpublish(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
  ): Promise<PageResult> {
    const { title } = await this.editing.unpublish(accountId, id);
    return redirect(`/dashboard/quizzes/${id}`, `“${title}” is hidden: only you see it now.`);
  }

  @Post(':id/resubmit')
  async resubmit(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
  ): Promise<PageResult> {
    const { title } = await this.editing.resubmit(accountId, id);
    return redirect(`/dashboard/quizzes/${id}`, `“${title}” waits for review again.`);
  }

  @Post(':id/delete')
  async remove(
    @CurrentViewer() { accountId }: Viewer,
    @Param('id') id: string,
  ): Promise<PageResult> {
    const { title } = await this.editing.delete(accountId, id);
    return redirect('/dashboard/quizzes', `“${title}” is deleted.`);
  }
}
