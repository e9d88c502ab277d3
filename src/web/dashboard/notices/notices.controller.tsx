import { Get, Post } from '@nestjs/common';
import { NoticesService } from '../../../access/notices/notices.service';
import { LIMITS } from '../../../platform/limits/limits';
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
  async show(@Asked() { viewer }: PageRequest): Promise<PageResult> {
    return (
      <Page
        title="Notices"
        help={`Decisions about your quizzes, finished imports and webhook endpoints that fail. The last ${LIMITS.accounts.notices.value} are kept.`}
        action={viewer.unread > 0 && <PostButton action={AT} text="Mark all as read" />}
      >
        <Table
          label="Notices"
          rows={await this.notices.list(viewer.accountId)}
          columns={{
            Notice: ({ id, title, readAt }) => (
              <form method="post" action={`${AT}/${id}`}>
                <button class="link">
                  <bdi>{title}</bdi>
                </button>{' '}
                {readAt === null && <Badge variant="busy">new</Badge>}
              </form>
            ),
            Details: ({ detail }) => <bdi class="detail">{detail}</bdi>,
            When: ({ createdAt }) => <Time at={createdAt} />,
          }}
          empty={<EmptyState title="No notices yet" />}
        />
      </Page>
    );
  }

  @Post()
  async readAll(@Asked() { accountId }: PageRequest): Promise<PageResult> {
    await this.notices.readAll(accountId);
    return redirect(AT);
  }

  /** A form and not a link, because it marks the notice as read. */
  @Post(':id')
  async open(@Asked() { accountId, id }: PageRequest): Promise<PageResult> {
    return redirect(await this.notices.read(accountId, id));
  }
}
