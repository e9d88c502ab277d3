import { Get } from '@nestjs/common';
import { AccountsService } from '../../../access/accounts/accounts.service';
import { ApiKeysService } from '../../../access/api-keys/api-keys.service';
import { OwnedQuizzesService } from '../../../catalog/quizzes/owned-quizzes.service';
import { EndpointNoticesService } from '../../../webhooks/endpoints/endpoint-notices.service';
import type { PageResult } from '../../http/page-results';
import { SignedInPages } from '../../http/page-controller';
import { CurrentViewer, type Viewer } from '../../http/viewer';
import { OverviewPage } from './overview.page';

@SignedInPages()
export class OverviewController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly keys: ApiKeysService,
    private readonly quizzes: OwnedQuizzesService,
    private readonly notices: EndpointNoticesService,
  ) {}

  @Get()
  async show(@CurrentViewer() viewer: Viewer): Promise<PageResult> {
    const [states, keys, notices] = await Promise.all([
      this.quizzes.countByState(viewer.accountId),
      this.keys.countWorking(viewer.accountId),
      this.notices.list(viewer.accountId),
    ]);
    const limit = this.accounts.quizLimitOf(viewer);
    return <OverviewPage {...{ viewer, states, limit, keys, notices }} />;
  }
}
