import { Get } from '@nestjs/common';
import { AccountsService } from '../../../access/accounts/accounts.service';
import { ReviewQueueService } from '../../../authoring/review/review-queue.service';
import { DiscoveryService } from '../../../catalog/discovery/discovery.service';
import { OwnedQuizzesService } from '../../../catalog/quizzes/owned-quizzes.service';
import { isId, newId } from '../../../platform/text/ids';
import { Clip, Time } from '../../components/format';
import { Page } from '../../components/page';
import { EmptyState, pageOf, Pager, Table } from '../../components/table';
import { AdministratorPages, Asked, type PageRequest } from '../../http/page-controller';
import { type PageResult, redirect } from '../../http/page-results';
import { filterOf, listHref, QuizFilters } from '../quizzes/quiz-list.page';
import { QuizTitle, StateBadge } from '../quizzes/quiz-parts';

const AT = '/dashboard/admin/quizzes';
const REVIEW = '/dashboard/admin/review';
const PER_PAGE = 25;

/** The quizzes of all accounts. */
@AdministratorPages('quizzes')
export class AllQuizzesController {
  constructor(
    private readonly accounts: AccountsService,
    private readonly discovery: DiscoveryService,
    private readonly quizzes: OwnedQuizzesService,
    private readonly queue: ReviewQueueService,
  ) {}

  @Get()
  async list(@Asked() { query }: PageRequest): Promise<PageResult> {
    const owner = query('owner').trim().slice(0, 320);
    // Any other order would sort all quizzes of the service: 2 s and more at a million.
    const sort = (owner && query('sort')) || 'newest';
    const filter = { ...filterOf((name) => (name === 'sort' ? sort : query(name))), owner };
    const { search } = filter;
    // An id, or the URL of a player's page.
    const known = search.includes('/') || isId(search) ? await this.queue.find(search) : null;
    if (known) return redirect(`${REVIEW}/${known}`);
    const page = pageOf(query('page'), PER_PAGE);
    // An unknown owner has no quizzes.
    const account = owner && ((await this.accounts.find(owner))?.id ?? newId());
    const [total, topics] = await Promise.all([
      this.quizzes.count(account || null, filter),
      this.discovery.topics(),
    ]);
    // The newest of a category without quizzes would be looked for among all.
    const quizzes = total === 0 ? [] : await this.quizzes.list(account || null, filter, page);
    const emails = await this.accounts.emailsOf(quizzes.map(({ ownerId }) => ownerId));
    const categories = topics.flatMap((topic) => topic.categories.map(({ name }) => name));
    return (
      <Page title="All quizzes" help="Quizzes of every account. A draft opens for its owner only.">
        <QuizFilters
          filter={filter}
          at={AT}
          categories={categories.map((name) => ({ value: name, label: name }))}
          sortable={owner !== ''}
        >
          <input
            class="input"
            type="search"
            name="owner"
            value={owner}
            placeholder="Owner’s e-mail address"
            aria-label="Owner’s e-mail address"
          />
        </QuizFilters>
        <Table
          label="Quizzes"
          rows={quizzes}
          columns={{
            Title: (quiz) =>
              quiz.published ? <QuizTitle quiz={quiz} at={REVIEW} /> : <Clip text={quiz.title} />,
            State: (quiz) => <StateBadge {...quiz} />,
            Owner: ({ ownerId }) => (
              <Clip
                href={`/dashboard/admin/accounts/${ownerId}`}
                text={emails.get(ownerId) ?? ''}
              />
            ),
            Questions: ({ questionCount }) => questionCount,
            Plays: ({ plays }) => plays,
            Changed: ({ updatedAt }) => <Time at={updatedAt} />,
          }}
          empty={<EmptyState title="No quiz matches" />}
        />
        <Pager page={page} total={total} at={listHref(filter, AT)} />
      </Page>
    );
  }
}
