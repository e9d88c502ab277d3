import { Get, Post } from '@nestjs/common';
import { OwnedQuizzesService } from '../../../catalog/quizzes/owned-quizzes.service';
import { RegradeService } from '../../../play/regrade/regrade.service';
import { LinkButton, PostButton } from '../../components/button';
import { count } from '../../components/format';
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
  async ask(@Asked() { accountId, id, query }: PageRequest): Promise<PageResult> {
    const quiz = await this.owned.getDetail(accountId, id);
    const earlier = await this.regrades.earlierKeys(accountId, id);
    const answered = await this.regrades.countAnswered(earlier);
    const positions = quiz.questions
      .filter((question) => earlier.questionIds.includes(question.id))
      .map(({ position }) => position);
    const at = `/dashboard/quizzes/${id}`;
    if (answered === 0) return redirect(`${at}/results`);
    const people = answered === 1 ? '1 person has' : `${answered.toLocaleString('en')} people have`;
    return (
      <Page title="Score earlier attempts again?" back={backTo(quiz)}>
        <Panel label="Earlier attempts">
          <p>
            {people} answered {named(positions)} before you changed what is correct. Their scores,
            the leaderboard and the statistics can follow, or stay as they are.
          </p>
          <div class="buttons after">
            <PostButton look="primary" action={`${at}/regrade`} text="Regrade their attempts" />
            <LinkButton
              look="outline"
              href={query('from') === 'results' ? `${at}/results` : at}
              text="Only new attempts"
            />
          </div>
        </Panel>
      </Page>
    );
  }

  @Post()
  async regrade(@Asked() { viewer, id }: PageRequest): Promise<PageResult> {
    const { attempts, changed } = await this.regrades.regrade(viewer, id);
    return redirect(
      `/dashboard/quizzes/${id}/results`,
      changed === null
        ? `${attempts.toLocaleString('en')} attempts are being scored again. A notice will say when they are done.`
        : `${count(attempts, 'attempt is', 'attempts are')} scored again: ${count(changed, 'score', 'scores')} changed.`,
    );
  }
}

/** `question 7`, `questions 2 and 7`. */
const named = (positions: readonly number[]) =>
  `${positions.length === 1 ? 'question' : 'questions'} ${new Intl.ListFormat('en').format(positions.map(String))}`;
