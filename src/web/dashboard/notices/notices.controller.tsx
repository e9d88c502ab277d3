import { Get, Post } from '@nestjs/common';
import { NoticesService } from '../../../access/notices/notices.service';
import { LIMITS } from '../../../platform/limits/limits';
import { noticeText } from '../../../platform/messages/refusals';
import { PostButton } from '../../components/button';
import { Time } from '../../components/format';
import { Page } from '../../components/page';
import { Badge } from '../../components/section';
import { EmptyState, Table } from '../../components/table';
import { Asked, type PageRequest, SignedInPages } from '../../http/page-controller';
import { type PageResult, redirect } from '../../http/page-results';

const AT = '/dashboard/notices';

@SignedInPages('notices')
export class NoticesController {
  constructor(private readonly notices: NoticesService) {}

  @Get()
  async show(@Asked() { viewer, messages }: PageRequest): Promise<PageResult> {
    const { t } = messages;
    return (
      <Page
        title={t('nav.notices')}
        help={t('notices.help', { count: LIMITS.accounts.notices.value })}
        action={viewer.unread > 0 && <PostButton action={AT} text={t('notices.readAll')} />}
      >
        <Table
          label={t('nav.notices')}
          rows={await this.notices.list(viewer.accountId)}
          columns={[
            [
              t('notices.notice'),
              ({ id, title, readAt }) => (
                <form method="post" action={`${AT}/${id}`}>
                  <button class="link">{noticeText(title, messages)}</button>{' '}
                  {readAt === null && <Badge variant="busy">{t('notices.new')}</Badge>}
                </form>
              ),
            ],
            [
              t('quiz.details'),
              ({ detail }) => <bdi class="detail">{noticeText(detail, messages)}</bdi>,
            ],
            [t('notices.when'), ({ createdAt }) => <Time at={createdAt} />],
          ]}
          empty={<EmptyState title={t('notices.none')} />}
        />
      </Page>
    );
  }

  @Post()
  async markAllRead(@Asked() { accountId }: PageRequest): Promise<PageResult> {
    await this.notices.markAllRead(accountId);
    return redirect(AT);
  }

  /** A form and not a link, because it marks the notice as read. */
  @Post(':id')
  async open(@Asked() { accountId, id }: PageRequest): Promise<PageResult> {
    return redirect(await this.notices.markRead(accountId, id));
  }
}
