import { Get, Post } from '@nestjs/common';
import { RenderingService } from '../../../catalog/rendering/rendering.service';
import { Forbidden, NotFound } from '../../../platform/errors/domain-errors';
import { QuizLinksService } from '../../../play/links/quiz-links.service';
import { RegradeService } from '../../../play/regrade/regrade.service';
import { ReportsService } from '../../../play/results/reports.service';
import { ResultsService } from '../../../play/results/results.service';
import { attemptsFile, csvDownload, statisticsFile } from '../../../play/results/results-csv';
import { AuthorText, AuthorTexts, inLanguage, TextsOfPage } from '../../components/author-text';
import { Time } from '../../components/format';
import { Page } from '../../components/page';
import { Badge } from '../../components/section';
import { pageOf, Table } from '../../components/table';
import { useMessages } from '../../http/page-context';
import { Asked, type PageRequest, SignedInPages } from '../../http/page-controller';
import { type PageResult, redirect } from '../../http/page-results';
import { duration } from '../../player/player.rules';
import { ResultsPage, urlOf } from './results.page';

const PER_PAGE = 100;

/** Results of a quiz, for its owner and for administrators. */
@SignedInPages('quizzes/:id/results')
export class ResultsPagesController {
  constructor(
    private readonly results: ResultsService,
    private readonly reports: ReportsService,
    private readonly regrades: RegradeService,
    private readonly links: QuizLinksService,
    private readonly rendering: RenderingService,
  ) {}

  @Get()
  async show(@Asked() { viewer, id, query }: PageRequest): Promise<PageResult> {
    const page = pageOf(query('page'), PER_PAGE);
    const statistics = await this.results.statistics(viewer, id).catch(hidden);
    const { isOwn } = statistics.quiz;
    const [{ attempts, total }, reports, progress, earlier, links] = await Promise.all([
      this.results.players(viewer, id, page),
      this.reports.open(viewer, id),
      this.results.progress(viewer, id),
      isOwn ? this.regrades.earlierKeys(viewer.accountId, id) : null,
      isOwn ? this.links.list(viewer.accountId, id) : [],
    ]);
    const inOrder = query('sort') === 'order';
    const texts = await this.rendering.forPage(statistics.questions.map((it) => it.question));
    return (
      <TextsOfPage.Provider value={texts}>
        <ResultsPage
          {...{ statistics, progress, earlier, links, inOrder, attempts, total, page, reports }}
        />
      </TextsOfPage.Provider>
    );
  }

  @Get('attempts.csv')
  async attempts(@Asked() { viewer, id }: PageRequest): Promise<PageResult> {
    return csvDownload(
      await attemptsFile(await this.results.allAttempts(viewer, id).catch(hidden)),
    );
  }

  @Get('questions.csv')
  async questions(@Asked() { viewer, id }: PageRequest): Promise<PageResult> {
    return csvDownload(statisticsFile(await this.results.statistics(viewer, id).catch(hidden)));
  }

  @Post('reports/:report/close')
  async close(@Asked() { viewer, id, param, messages: { t } }: PageRequest): Promise<PageResult> {
    await this.reports.close(viewer, id, param('report')).catch(hidden);
    return redirect(urlOf({ id }), t('results.closed'));
  }

  @Get(':attempt')
  async attempt(@Asked() { viewer, id, param }: PageRequest): Promise<PageResult> {
    const attempt = await this.results.attempt(viewer, id, param('attempt')).catch(hidden);
    const texts = await this.rendering.forPage(attempt.questions.map((it) => it.question));
    return (
      <TextsOfPage.Provider value={texts}>
        <AttemptPage {...attempt} />
      </TextsOfPage.Provider>
    );
  }
}

/** In the dashboard, what belongs to another account does not exist. */
function hidden(error: unknown): never {
  throw error instanceof Forbidden ? new NotFound('Quiz') : error;
}

/** One attempt, with its questions as they were. */
function AttemptPage({
  quiz,
  name,
  score,
  timeSpent,
  submittedAt,
  questions,
}: Awaited<ReturnType<ResultsService['attempt']>>) {
  const messages = useMessages();
  const { rich, t } = messages;
  return (
    <Page
      title={name}
      help={
        <>
          {rich('result.submitted', {
            score,
            total: questions.length,
            time: duration(timeSpent, messages),
            when: <Time at={submittedAt} />,
          })}
        </>
      }
      back={{ href: urlOf(quiz), label: t('results.of', { title: quiz.title }) }}
    >
      <Table
        label={t('editor.answers')}
        rows={questions}
        columns={[
          [
            t('player.question'),
            ({ question }) => (
              <div class="reason said" {...inLanguage(question.language)}>
                <AuthorText text={question.text} format={question.format} />
              </div>
            ),
          ],
          [
            t('results.given'),
            ({ question, answerIds, text, correct, correctAnswers, spelling }) => {
              const chosen = question.answers.filter(({ id }) => answerIds?.includes(id));
              return (
                <div class="reason">
                  {text ? (
                    <bdi>
                      <AuthorText text={text} />
                    </bdi>
                  ) : chosen.length > 0 ? (
                    <bdi {...inLanguage(question.language)}>
                      <AuthorTexts texts={textsOf(chosen)} format={question.format} />
                    </bdi>
                  ) : (
                    <span class="muted">{t('results.notAnswered')}</span>
                  )}
                  {!correct && (
                    <span class="sub">
                      {t('result.correct')}{' '}
                      <bdi {...inLanguage(question.language)}>
                        <AuthorTexts
                          texts={textsOf(correctAnswers)}
                          format={question.format}
                          list={question.type === 'OPEN_ENDED' ? 'disjunction' : 'conjunction'}
                        />
                      </bdi>
                    </span>
                  )}
                  {spelling && (
                    <span class="sub">
                      {rich('verdict.spelling', {
                        text: <AuthorText text={spelling} format={question.format} />,
                      })}
                    </span>
                  )}
                </div>
              );
            },
          ],
          [
            t('results.result'),
            ({ correct }) => (
              <Badge variant={correct ? 'good' : 'bad'}>
                {t(correct ? 'results.correct' : 'results.wrong')}
              </Badge>
            ),
          ],
        ]}
      />
    </Page>
  );
}

const textsOf = (answers: readonly { text: string }[]) => answers.map(({ text }) => text);
