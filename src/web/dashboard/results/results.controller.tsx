import { Get, Post } from '@nestjs/common';
import { ReportsService } from '../../../play/results/reports.service';
import { attemptsFile, csvDownload, statisticsFile } from '../../../play/results/results-csv';
import { ResultsService } from '../../../play/results/results.service';
import { Forbidden, NotFound } from '../../../platform/errors/domain-errors';
import { pageOf } from '../../components/table';
import { Asked, SignedInPages, type PageRequest } from '../../http/page-controller';
import { redirect, type PageResult } from '../../http/page-results';
import { AttemptPage } from './attempt.page';
import { ResultsPage } from './results.page';

const PER_PAGE = 25;

/** Results of a quiz, for its owner and for administrators. */
@SignedInPages('quizzes/:id/results')
export class ResultsPagesController {
  constructor(
    private readonly results: ResultsService,
    private readonly reports: ReportsService,
  ) {}

  @Get()
  async show(@Asked() { viewer, id, query }: PageRequest): Promise<PageResult> {
    const page = pageOf(query('page'), PER_PAGE);
    const statistics = await this.results.statistics(viewer, id).catch(hidden);
    const [{ attempts, total }, reports] = await Promise.all([
      this.results.attempts(viewer, id, page),
      this.reports.open(viewer, id),
    ]);
    return <ResultsPage {...{ statistics, attempts, total, page, reports }} />;
  }

  @Get('attempts.csv')
  async attempts(@Asked() { viewer, id }: PageRequest): Promise<PageResult> {
    return csvDownload(attemptsFile(await this.results.allAttempts(viewer, id).catch(hidden)));
  }

  @Get('questions.csv')
  async questions(@Asked() { viewer, id }: PageRequest): Promise<PageResult> {
    return csvDownload(statisticsFile(await this.results.statistics(viewer, id).catch(hidden)));
  }

  @Post('reports/:report/close')
  async close(@Asked() { viewer, id, param }: PageRequest): Promise<PageResult> {
    await this.reports.close(viewer, id, param('report')).catch(hidden);
    return redirect(`/dashboard/quizzes/${id}/results`, 'The report is closed.');
  }

  @Get(':attempt')
  async attempt(@Asked() { viewer, id, param }: PageRequest): Promise<PageResult> {
    return (
      <AttemptPage {...await this.results.attempt(viewer, id, param('attempt')).catch(hidden)} />
    );
  }
}

/** In the dashboard, what belongs to another account does not exist. */
function hidden(error: unknown): never {
  throw error instanceof Forbidden ? new NotFound('Quiz') : error;
}
