import { Get, type OnModuleInit } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { AccountsService } from '../../../access/accounts/accounts.service';
import { ApiKeysService } from '../../../access/api-keys/api-keys.service';
import { OwnedQuizzesService } from '../../../catalog/quizzes/owned-quizzes.service';
import type { QuizState } from '../../../catalog/vocabulary';
import { ReadinessService } from '../../../platform/health/readiness.service';
import { ResultsService } from '../../../play/results/results.service';
import { WebhookMetricsService } from '../../../webhooks/deliveries/webhook-metrics.service';
import { WorkersService } from '../../../webhooks/deliveries/workers.service';
import { EndpointsService } from '../../../webhooks/endpoints/endpoints.service';
import type { Viewer } from '../../http/page-context';
import { Asked, type PageRequest, SignedInPages } from '../../http/page-controller';
import type { PageResult } from '../../http/page-results';
import { type Overview, OverviewPage } from './overview.page';
import type { Health } from './service-health';

/** How many quizzes each panel lists. */
const LISTED = 5;

@SignedInPages()
export class OverviewController implements OnModuleInit {
  private readiness!: ReadinessService;

  constructor(
    private readonly accounts: AccountsService,
    private readonly keys: ApiKeysService,
    private readonly quizzes: OwnedQuizzesService,
    private readonly endpoints: EndpointsService,
    private readonly results: ResultsService,
    private readonly workers: WorkersService,
    private readonly metrics: WebhookMetricsService,
    private readonly modules: ModuleRef,
  ) {}

  onModuleInit(): void {
    // The root module provides it, with the checks of all modules.
    this.readiness = this.modules.get(ReadinessService, { strict: false });
  }

  @Get()
  async show(@Asked() { viewer, query }: PageRequest): Promise<PageResult> {
    const overview = await this.overviewOf(viewer);
    return <OverviewPage overview={overview} isForDevelopers={query('for') === 'developers'} />;
  }

  private async overviewOf(viewer: Viewer): Promise<Overview> {
    const { accountId } = viewer;
    const list = (state: QuizState) =>
      this.quizzes.list(accountId, { state }, { limit: LISTED, offset: 0 });
    const [states, keys, endpoints, rejected, waiting, drafts, results, health] = await Promise.all(
      [
        this.quizzes.countByState(accountId),
        this.keys.countWorking(accountId),
        this.endpoints.list(viewer),
        list('rejected'),
        list('pending'),
        list('draft'),
        this.results.latest(accountId, LISTED),
        viewer.isAdmin ? this.health() : null,
      ],
    );
    return {
      viewer,
      states,
      limit: this.accounts.quizLimitOf(viewer),
      offer: this.accounts.writingPlans(),
      rejected,
      drafts,
      waiting,
      results,
      endpoints,
      keys,
      health,
    };
  }

  private async health(): Promise<Health> {
    const [findings, workers, backlog] = await Promise.all([
      this.readiness.checkAll(),
      this.workers.list(),
      this.metrics.backlog(),
    ]);
    return { findings, workers, ...backlog };
  }
}
