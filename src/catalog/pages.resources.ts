import { Field, Part, Text, TextOrNull, Whole } from '../platform/openapi/fields';
import { LIMITS } from '../platform/limits/limits';
import { EXAMPLE_QUIZ } from './resources';

/** What describes the results of a list: its pages, and counts of what a filter matches. */

/** `meta` of a list. */
export class PageMeta {
  @Whole('Results on all pages together.', 48) total!: number;
  @Whole('As requested.', 10) limit!: number;
  @Whole('As requested.', 0) offset!: number;
}

/** `meta` of the questions of one quiz. */
export class QuizQuestionsMeta {
  @Whole('How many questions the quiz has.', 1) total!: number;
  @Text('The quiz.', EXAMPLE_QUIZ) quizId!: string;
}

/** What links are relative to, however the request spelled it (`/api/v1/questions/`). */
const QUESTIONS = '/api/v1/questions';

const link = (offset: number) => `${QUESTIONS}?offset=${offset}&limit=10`;

class PageLinks {
  @Text('The first page.', link(0)) first!: string;
  @Text('The last page.', link(40)) last!: string;
  @TextOrNull('The next page; null on the last.', link(20)) next!: string | null;
  @TextOrNull('The page before; null on the first.', link(0)) prev!: string | null;
}

export class PaginationMeta {
  @Whole('Results on all pages together.', 42) total!: number;
  @Whole('Results on this page.', 10) pageTotal!: number;
  @Whole('The number of this page, from 1.', 2) page!: number;
  @Whole('The number of the last page.', 5) lastPage!: number;
  @Whole('Results on a full page.', 10) limit!: number;
  @Whole('Results before this page.', 10) offset!: number;
  @Part(PageLinks, 'Paths with your own filters; never with your API key.') links!: PageLinks;
}

const Counts = (description: string, example: Record<string, number>) =>
  Field({
    type: 'object',
    description,
    additionalProperties: { type: 'integer', minimum: 0 },
    example,
  });

export class QuestionCounts {
  @Whole('All that match.', 42) total!: number;
  @Counts(
    `By the name of the category, "" for none: the ${LIMITS.requests.countedCategories.value} with the most questions.`,
    { 'Rivers & Lakes': 30, '': 12 },
  )
  byCategory!: Record<string, number>;
  @Counts('By difficulty; every one of them.', { EASY: 30, MEDIUM: 12, HARD: 0, EXPERT: 0 })
  byDifficulty!: Record<string, number>;
  @Counts('By question type; every one of them.', {
    MULTIPLE_CHOICE: 30,
    TRUE_FALSE: 12,
    OPEN_ENDED: 0,
  })
  byType!: Record<string, number>;
}

/** The caller's own parameters that a link repeats: filters, never an API key. */
const REPEATED = [
  'category',
  'difficulty',
  'type',
  'tags',
  'tags_match',
  'topic',
  'exclude',
  'random',
  'seed',
];

/**
 * @param query as it was sent
 * @param result `after` is the position behind the last question of this page, for the next one
 */
export function paginationMeta(
  query: Record<string, unknown>,
  result: { total: number; pageTotal: number; limit: number; offset: number; after?: string },
): PaginationMeta {
  const { total, limit, offset } = result;
  const lastPage = Math.max(1, Math.ceil(total / limit));
  const lastOffset = (lastPage - 1) * limit;
  const link = (to: number, after?: string): string => {
    const parameters = new URLSearchParams({ offset: String(to), limit: String(limit) });
    for (const name of REPEATED) {
      for (const value of [query[name]].flat())
        if (typeof value === 'string') parameters.append(name, value);
    }
    if (after !== undefined) parameters.append('after', after);
    return `${QUESTIONS}?${parameters.toString()}`;
  };
  return {
    total,
    pageTotal: result.pageTotal,
    page: total === 0 ? 1 : Math.floor(offset / limit) + 1,
    lastPage,
    limit,
    offset,
    links: {
      first: link(0),
      last: link(lastOffset),
      next: offset + limit < total ? link(offset + limit, result.after) : null,
      // From past the end, `prev` leads to the last page that has results.
      prev: offset > 0 ? link(Math.min(Math.max(0, offset - limit), lastOffset)) : null,
    },
  };
}
