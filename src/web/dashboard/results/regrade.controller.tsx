import { Get, Post } from '@nestjs/common';
import { OwnedQuizzesService } from '../../../catalog/quizzes/owned-quizzes.service';
import { RegradeService } from '../../../play/regrade/regrade.service';
import { LinkButton, PostButton } from '../../components/button';
import { Page } from '../../components/page';
import { Panel } from '../../components/section';
import { Asked, type PageRequest, SignedInPages } from '../../http/page-controller';
import { type PageResult, redirect } from '../../http/page-results';
import { backTo } from '../quizzes/quiz-parts';

/** Asks whether earlier attempts are scored again, once a key was changed. */
@SignedInPages('quizzes/:id/regrade')
export class RegradePagesController {
  constructor(
    private readonly owned: OwnedQuizzesService,
    private readonly regrades: RegradeService,
  ) {}

  @Get()
  async ask(@Asked() { accountId, id, query, messages }: PageRequest): Promise<PageResult> {
    const { t } = messages;
    const quiz = await this.owned.getDetail(accountId, id);
    const earlier = await this.regrades.earlierKeys(accountId, id);
    const answered = await this.regrades.countAnswered(earlier);
    const positions = quiz.questions
      .filter((question) => earlier.questionIds.includes(question.id))
      .map(({ position }) => position);
    const at = `/dashboard/quizzes/${id}`;
    if (answered === 0) return redirect(`${at}/results`);
    return (
      <Page title={t('regrade.title')} back={backTo(quiz)}>
        <Panel label={t('regrade.label')}>
          <p>
            {t('regrade.text', {
              count: answered,
              number: positions.length,
              list: new Intl.ListFormat(messages.locale).format(positions.map(String)),
            })}
          </p>
          <div class="buttons after">
            <PostButton look="primary" action={`${at}/regrade`} text={t('regrade.button')} />
            <LinkButton
              look="outline"
              href={query('from') === 'results' ? `${at}/results` : at}
              text={t('regrade.only')}
            />
          </div>
        </Panel>
      </Page>
    );
  }

  @Post()
  async regrade(@Asked() { viewer, id, messages: { t } }: PageRequest): Promise<PageResult> {
    const { attempts, changed } = await this.regrades.regrade(viewer, id);
    return redirect(
      `/dashboard/quizzes/${id}/results`,
      changed === null
        ? t('regrade.later', { count: attempts })
        : t('regrade.done', { count: attempts, changed }),
    );
  }
}
