import { Get } from '@nestjs/common';
import { NOBODY } from '../../access/accounts/scope.rules';
import { AttemptLimits } from '../../access/attempt-limits/attempt-limits.service';
import { SearchLimitService } from '../../access/rate-limit/search-limit.service';
import type { TopicWithCategories } from '../../catalog/discovery/discovery.dto';
import { DiscoveryService, isInUse } from '../../catalog/discovery/discovery.service';
import { ListQuizzesQuery } from '../../catalog/quizzes/quizzes.dto';
import { QuizzesService } from '../../catalog/quizzes/quizzes.service';
import { QUIZ_ORDERS } from '../../catalog/vocabulary';
import { DIFFICULTIES, type Difficulty } from '../../catalog/vocabulary';
import { DomainError, NotFound } from '../../platform/errors/domain-errors';
import { fold } from '../../platform/text/text.rules';
import { QuizLinksService } from '../../play/links/quiz-links.service';
import { FormScope, optionsOf, Select, TextInput } from '../components/fields';
import { EmptyState, pageOf, Pager, Tabs } from '../components/table';
import { topicHue } from '../components/topic-hue';
import { DIFFICULTY_LABELS } from '../dashboard/quizzes/quiz-parts';
import { Form } from '../http/form';
import { usePage } from '../http/page-context';
import { Asked, OpenPages, type PageRequest } from '../http/page-controller';
import { type PageResult, redirect } from '../http/page-results';
import { type QuizOnTile, QuizTiles, SitePage } from './site.page';

const AT = '/play';
const PER_PAGE = 24;
const LONGEST = 200;
/** Pages from here on are found less fast. */
const FAR = 40;
const ORDER_LABELS = { popular: 'Popular', newest: 'New', title: 'A to Z' } as const;

/** The catalogue for players: every public quiz, by topic, category and difficulty, and by search. */
@OpenPages('play')
export class CatalogueController {
  constructor(
    private readonly quizzes: QuizzesService,
    private readonly discovery: DiscoveryService,
    private readonly searches: SearchLimitService,
    private readonly links: QuizLinksService,
    private readonly limits: AttemptLimits,
  ) {}

  @Get()
  async show(@Asked() request: PageRequest): Promise<PageResult> {
    const { query, address } = request;
    const opened = query('code') ? await this.openCode(request) : new Form();
    if (typeof opened === 'string') return redirect(opened);
    const topics = await this.discovery.topics();
    const chosen: Chosen = {
      q: query('q').trim().slice(0, LONGEST),
      topic: topics.find(({ slug }) => slug === query('topic')),
      category: query('category').trim().slice(0, LONGEST),
      difficulty: DIFFICULTIES.find((it) => it === query('difficulty')),
      sort: QUIZ_ORDERS.find((it) => it === query('sort')) ?? 'popular',
    };
    const page = pageOf(query('page'), PER_PAGE);
    if (chosen.q || page.number >= FAR) await this.searches.take(address);
    const categories = chosen.category
      ? [chosen.category]
      : (chosen.topic?.categories.map(({ name }) => name) ?? []);
    const asked = Object.assign(new ListQuizzesQuery(), {
      category: categories.map(fold),
      difficulty: chosen.difficulty ? [chosen.difficulty] : [],
      topic: fold(chosen.q) || undefined,
      sort: chosen.sort,
      limit: page.limit,
      offset: page.offset,
    });
    // A topic without categories has no quizzes; without a filter it would have all.
    const isEmpty = chosen.topic !== undefined && categories.length === 0;
    const found = isEmpty ? null : await this.quizzes.list(NOBODY, asked);
    const quizzes = found ? (JSON.parse(found.quizzes.text) as QuizOnTile[]) : [];
    return (
      <CataloguePage
        {...{ topics, chosen, quizzes, page, total: found?.total ?? 0, code: opened }}
      />
    );
  }

  /** @returns the path that a short code opens, or its form with an error */
  private async openCode({ query, address, response }: PageRequest): Promise<string | Form> {
    const form = new Form({ code: query('code').slice(0, LONGEST) });
    try {
      await this.limits.take('codeByAddress', { address });
      return await this.links.pathOf(form.text('code'));
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      // A refused form, as elsewhere.
      response.status(error.retryAfter ? 429 : 422);
      if (error.retryAfter) response.setHeader('Retry-After', error.retryAfter);
      const message =
        error instanceof NotFound
          ? 'No quiz has this code now. Compare it with the screen, or ask for a new one.'
          : error.message;
      return new Form({ code: form.text('code') }, [{ path: 'code', message, code: error.kind }]);
    }
  }
}

interface Chosen {
  q: string;
  topic: TopicWithCategories | undefined;
  category: string;
  difficulty: Difficulty | undefined;
  sort: keyof typeof ORDER_LABELS;
}

/** The catalogue's URL with some filters replaced. */
function hrefWith(
  { q, topic, category, difficulty, sort }: Chosen,
  other: Partial<Record<string, string>> = {},
) {
  const all = {
    q,
    topic: topic?.slug,
    category,
    difficulty,
    sort: sort === 'popular' ? '' : sort,
    ...other,
  };
  const given = Object.entries(all).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return given.length > 0 ? `${AT}?${new URLSearchParams(given).toString()}` : AT;
}

function CataloguePage(of: {
  topics: TopicWithCategories[];
  chosen: Chosen;
  quizzes: QuizOnTile[];
  page: ReturnType<typeof pageOf>;
  total: number;
  /** Of a short code. */
  code: Form;
}) {
  const { topics, chosen, quizzes, page, total, code } = of;
  const { baseUrl } = usePage();
  const { q, topic, category, difficulty } = chosen;
  const inTopic = topic ?? topics.find((it) => it.categories.some(({ name }) => name === category));
  const subject = category || topic?.name;
  const title = subject ? `${subject} quizzes` : 'Quizzes to play';
  const number = page.number > 1 ? `, page ${page.number}` : '';
  const here = hrefWith(chosen);
  const canonical =
    page.number > 1 ? `${here}${here.includes('?') ? '&' : '?'}page=${page.number}` : here;
  return (
    <SitePage
      title={`${title}${number}`}
      description={`Play ${subject ? `${subject} quizzes` : 'quizzes'} in the browser, without an account.`}
      head={
        <>
          <link rel="canonical" href={baseUrl + canonical} />
          {(q || total === 0) && <meta name="robots" content="noindex" />}
        </>
      }
    >
      <h1>{title}</h1>
      <form method="get" action={AT} class="search code-form">
        <FormScope form={code}>
          <TextInput
            name="code"
            label="Code from the screen"
            maxLength={20}
            placeholder="7KQ2WX"
            autofocus={code.errors.length > 0}
          />
        </FormScope>
        <button class="btn" data-variant="outline">
          Open
        </button>
      </form>
      <form method="get" action={AT} class="search" role="search">
        {category && <input type="hidden" name="category" value={category} />}
        {!category && topic && <input type="hidden" name="topic" value={topic.slug} />}
        {chosen.sort !== 'popular' && <input type="hidden" name="sort" value={chosen.sort} />}
        <FormScope form={new Form({ q })}>
          <TextInput name="q" label={`Search ${title.toLowerCase()}`} maxLength={LONGEST} />
        </FormScope>
        <Select
          name="difficulty"
          aria-label="Difficulty"
          chosen={difficulty}
          options={[{ value: '', label: 'Any difficulty' }, ...optionsOf(DIFFICULTY_LABELS)]}
        />
        <button class="btn">Search</button>
      </form>
      <Choices
        label="Topics"
        choices={[
          {
            href: hrefWith(chosen, { topic: '', category: '' }),
            text: 'All',
            current: !inTopic && !category,
          },
          ...topics
            .filter((it) => it === inTopic || isInUse(it))
            .map((it) => ({
              href: hrefWith(chosen, { topic: it.slug, category: '' }),
              text: it.name,
              hue: topicHue(it.slug),
              current: it === inTopic,
            })),
        ]}
      />
      {inTopic && (
        <Choices
          label={`Categories of ${inTopic.name}`}
          choices={inTopic.categories
            .filter((it) => it.name === category || it.quizCount > 0)
            .map(({ name, quizCount }) => ({
              href: hrefWith(chosen, { topic: '', category: name }),
              text: name,
              number: quizCount,
              current: name === category,
            }))}
        />
      )}
      <Tabs
        label="Order"
        tabs={QUIZ_ORDERS.map((sort) => ({
          href: hrefWith(chosen, { sort: sort === 'popular' ? '' : sort }),
          label: ORDER_LABELS[sort],
          current: sort === chosen.sort,
        }))}
      />
      {quizzes.length > 0 ? (
        <QuizTiles quizzes={quizzes} />
      ) : (
        <EmptyState title="No quizzes found">
          <p>{q ? `Nothing here matches “${q}”.` : 'There is nothing here yet.'}</p>
          <a class="btn" data-variant="outline" href={AT}>
            Show all quizzes
          </a>
        </EmptyState>
      )}
      <Pager page={page} total={total} at={here} />
    </SitePage>
  );
}

/** Links of which one is chosen; they wrap. */
function Choices(of: {
  label: string;
  choices: { href: string; text: string; number?: number; hue?: number; current: boolean }[];
}) {
  return (
    <nav aria-label={of.label}>
      <ul class="chips">
        {of.choices.map(({ href, text, number, hue, current }) => (
          <li>
            <a href={href} data-hue={hue} aria-current={current ? 'page' : undefined}>
              {text} {number !== undefined && <small>{number.toLocaleString('en')}</small>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
