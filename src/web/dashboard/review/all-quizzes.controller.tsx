import { Get } from '@nestjs/common';
import { AccountsService } from '../../../access/accounts/accounts.service';
import { ReviewQueueService } from '../../../authoring/review/review-queue.service';
import { DiscoveryService } from '../../../catalog/discovery/discovery.service';
import {
  type OwnedQuiz,
  OwnedQuizzesService,
} from '../../../catalog/quizzes/owned-quizzes.service';
import { isId } from '../../../platform/text/ids';
import { Clip, Time } from '../../components/format';
import { Page } from '../../components/page';
import { EmptyState, type PageOf, pageOf, Pager, Table } from '../../components/table';
import { useMessages } from '../../http/page-context';
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
    const filter = filterIn(query);
    const known = await this.findByIdOrUrl(filter.search);
    if (known) return redirect(`${REVIEW}/${known}`);
    const page = pageOf(query('page'), PER_PAGE);
    const found = await this.find(filter, page);
    return <AllQuizzesPage {...{ filter, page, ...found }} />;
  }

  /** The quiz with this id, or at this URL of a player's page. */
  private findByIdOrUrl(search: string): Promise<string | null> | null {
    return /^(?:https?:\/\/|\/play\/)/.test(search) || isId(search)
      ? this.queue.find(search)
      : null;
  }

  private async find(filter: Filter, page: PageOf) {
    const topics = await this.discovery.topics();
    const categories = topics.flatMap((topic) => topic.categories.map(({ name }) => name));
    const owner = filter.owner ? await this.accounts.find(filter.owner) : null;
    const isUnknown = filter.owner !== '' && owner === null;
    const ownerId = owner?.id ?? null;
    const total = isUnknown ? 0 : await this.quizzes.count(ownerId, filter);
    // Without a match, PostgreSQL would read all quizzes in the order of creation.
    const quizzes = total === 0 ? [] : await this.quizzes.list(ownerId, filter, page);
    const emails = await this.accounts.emailsOf(quizzes.map((quiz) => quiz.ownerId));
    return { categories, total, quizzes, emails };
  }
}

type Filter = ReturnType<typeof filterIn>;

function filterIn(query: PageRequest['query']) {
  const owner = query('owner').trim().slice(0, 320);
  // Any other order would sort all quizzes of the service: 2 s and more at a million.
  const sort = (owner && query('sort')) || 'newest';
  return { ...filterOf((name) => (name === 'sort' ? sort : query(name))), owner };
}

function AllQuizzesPage({
  filter,
  page,
  categories,
  total,
  quizzes,
  emails,
}: {
  filter: Filter;
  page: PageOf;
  categories: string[];
  total: number;
  quizzes: OwnedQuiz[];
  /** The owners' e-mail addresses, by account id. */
  emails: ReadonlyMap<string, string>;
}) {
  const { t } = useMessages();
  return (
    <Page title={t('nav.allQuizzes')} help={t('allQuizzes.help')}>
      <QuizFilters
        filter={filter}
        at={AT}
        categories={categories.map((name) => ({ value: name, label: name }))}
        sortable={filter.owner !== ''}
      >
        <input
          class="input"
          type="search"
          name="owner"
          value={filter.owner}
          placeholder={t('allQuizzes.email')}
          aria-label={t('allQuizzes.email')}
        />
      </QuizFilters>
      <Table
        label={t('site.quizzes')}
        rows={quizzes}
        columns={[
          [
            t('field.title'),
            (quiz) =>
              quiz.published ? (
                <QuizTitle quiz={quiz} at={REVIEW} />
              ) : (
                <Clip text={quiz.title} language={quiz.language} />
              ),
          ],
          [t('list.state'), (quiz) => <StateBadge {...quiz} />],
          [
            t('allQuizzes.owner'),
            ({ ownerId }) => (
              <Clip
                href={`/dashboard/admin/accounts/${ownerId}`}
                text={emails.get(ownerId) ?? ''}
              />
            ),
          ],
          [t('nav.questions'), ({ questionCount }) => questionCount],
          [t('quiz.playsTitle'), ({ plays }) => plays],
          [t('list.changed'), ({ updatedAt }) => <Time at={updatedAt} />],
        ]}
        empty={total === 0 && <EmptyState title={t('list.noQuiz')} />}
      />
      <Pager page={page} total={total} at={listHref(filter, AT)} />
    </Page>
  );
}
