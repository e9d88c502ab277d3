import { Get } from '@nestjs/common';
import { NOBODY } from '../../access/accounts/scope.rules';
import { AttemptLimits } from '../../access/attempt-limits/attempt-limits.service';
import { SearchLimitService } from '../../access/rate-limit/search-limit.service';
import type { TopicWithCategories } from '../../catalog/discovery/discovery.dto';
import { DiscoveryService } from '../../catalog/discovery/discovery.service';
import { ListQuizzesQuery } from '../../catalog/quizzes/quizzes.dto';
import { QuizzesService } from '../../catalog/quizzes/quizzes.service';
import { DIFFICULTIES, QUIZ_ORDERS } from '../../catalog/vocabulary';
import { Gone, NotFound } from '../../platform/errors/domain-errors';
import { firstCodePoints, fold } from '../../platform/text/text.rules';
import { QuizLinksService } from '../../play/links/quiz-links.service';
import { type PageOf, pageOf } from '../components/table';
import { attempt, fieldError, Form } from '../http/form';
import { Asked, OpenPages, type PageRequest } from '../http/page-controller';
import { type PageResult, redirect } from '../http/page-results';
import { CataloguePage, type Chosen, DEFAULT_SORT, LONGEST } from './catalogue.page';
import type { QuizOnCard } from './site.page';

const PER_PAGE = 24;
/** From this page on a page is slow to read, and counts as a search. */
const FAR = 40;

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
    const [topics, inUse] = await Promise.all([
      this.discovery.topics(),
      this.discovery.languages(),
    ]);
    const languages = inUse.map(({ language }) => language);
    const chosen = chosenIn(query, topics, languages);
    const page = pageOf(query('page'), PER_PAGE);
    if (chosen.q || page.number >= FAR) await this.searches.take(address);
    const found = await this.find(chosen, page);
    return <CataloguePage {...{ topics, languages, chosen, page, ...found, code: opened }} />;
  }

  private async find(
    { q, topic, category, difficulty, language, sort }: Chosen,
    { limit, offset }: PageOf,
  ): Promise<{ quizzes: QuizOnCard[]; total: number }> {
    const categories = category ? [category] : (topic?.categories.map(({ name }) => name) ?? []);
    // A topic without categories has no quizzes; without a filter it would have all.
    if (topic && categories.length === 0) return { quizzes: [], total: 0 };
    const asked = Object.assign(new ListQuizzesQuery(), {
      category: categories.map(fold),
      difficulty: difficulty ? [difficulty] : [],
      language: language ? [language] : [],
      include: ['language'],
      topic: fold(q) || undefined,
      sort,
      limit,
      offset,
    });
    const { quizzes, total } = await this.quizzes.list(NOBODY, asked);
    return { quizzes: JSON.parse(quizzes.text) as QuizOnCard[], total };
  }

  /** @returns the path that a short code opens, or its form with an error */
  private async openCode(asked: PageRequest): Promise<string | Form> {
    const { query, address, messages } = asked;
    const form = new Form({ code: query('code').slice(0, LONGEST) });
    const open = async () => {
      await this.limits.take('codeByAddress', { address });
      return this.links.pathOf(form.text('code')).catch((error: unknown) => {
        if (error instanceof NotFound) throw fieldError('code', messages.t('catalogue.noCode'));
        if (error instanceof Gone) throw fieldError('code', error.message);
        throw error;
      });
    };
    const opened = await attempt(form, open, 'code');
    if (opened instanceof Form) asked.refused(opened);
    return opened;
  }
}

const chosenIn = (
  query: PageRequest['query'],
  topics: TopicWithCategories[],
  languages: readonly string[],
): Chosen => ({
  q: firstCodePoints(query('q').trim(), LONGEST),
  topic: topics.find(({ slug }) => slug === query('topic')),
  category: firstCodePoints(query('category').trim(), LONGEST),
  difficulty: DIFFICULTIES.find((it) => it === query('difficulty')),
  language: languages.find((it) => it === query('language')),
  sort: QUIZ_ORDERS.find((it) => it === query('sort')) ?? DEFAULT_SORT,
});
