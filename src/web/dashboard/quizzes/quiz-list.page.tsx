import type { ComponentChildren } from 'preact';
import type {
  OwnedFilter,
  OwnedQuiz,
  OwnedSort,
} from '../../../catalog/quizzes/owned-quizzes.service';
import { QUIZ_STATES, type QuizState } from '../../../catalog/vocabulary';
import { LIMITS } from '../../../platform/limits/limits';
import { firstCodePoints } from '../../../platform/text/text.rules';
import type { QuizFigures } from '../../../play/results/results.service';
import { BulkButton, BulkForm, SelectAll } from '../../components/bulk';
import { Confirm, LinkButton } from '../../components/button';
import { CategoryFilter, LONGEST_SEARCH, Select } from '../../components/fields';
import { Time } from '../../components/format';
import { ListSearch } from '../../components/list-search';
import { Page } from '../../components/page';
import { EmptyState, type PageOf, Pager, Table, Tabs } from '../../components/table';
import { useMayWrite, useMessages, usePage } from '../../http/page-context';
import { ToCheck } from './check-key';
import { labelledBy, NoRoom, type Offer, SelectableTitle, StateBadge } from './quiz-parts';

const AT = '/dashboard/quizzes';

const SORTS: readonly OwnedSort[] = ['changed', 'newest', 'title', 'plays', 'questions'];

/** `owner`: the e-mail address or id of an account, in the administrators' list. */
export type ListFilter = Required<OwnedFilter> & { owner?: string };

/** Reads the filter of a URL; anything invalid does not filter. */
export function filterOf(query: (name: string) => string): ListFilter {
  return {
    state: QUIZ_STATES.find((it) => it === query('state')) ?? null,
    category: firstCodePoints(query('category'), LIMITS.content.categoryName.value),
    search: firstCodePoints(query('q'), LONGEST_SEARCH),
    sort: SORTS.find((it) => it === query('sort')) ?? 'changed',
  };
}

/** The list with a filter. @param at its page, or `…/bulk`: what is done there leads back to the same list */
export function listHref({ state, category, search, sort, owner }: ListFilter, at = AT): string {
  const given = {
    state,
    category,
    q: search,
    sort: sort === 'changed' && at.startsWith(AT) ? '' : sort,
    owner,
  };
  const query = new URLSearchParams(
    Object.entries(given).flatMap(([name, value]) => (value ? [[name, value]] : [])),
  ).toString();
  return `${at}${query && `?${query}`}`;
}

/** A tab for each state, and the search with its other filters. */
export function QuizFilters(props: {
  filter: ListFilter;
  at: string;
  /** How many quizzes are in each state, if that is known. */
  states?: Record<QuizState, number>;
  categories: { value: string; label: string }[];
  sortable?: boolean;
  /** Further fields. */
  children?: ComponentChildren;
}) {
  const { t } = useMessages();
  const { filter, at, states, categories, sortable = true } = props;
  const { state, category, search, sort } = filter;
  const all = states && Object.values(states).reduce((sum, number) => sum + number, 0);
  const tabs = [null, ...QUIZ_STATES].map((it) => ({
    href: listHref({ ...filter, state: it }, at),
    label: t(it ? `state.tab.${it}` : 'catalogue.all'),
    number: it ? states?.[it] : all,
    current: state === it,
  }));
  return (
    <>
      <Tabs label={t('list.states')} tabs={tabs} />
      <ListSearch at={at} text={search} label={t('list.searchQuizzes')}>
        {state && <input type="hidden" name="state" value={state} />}
        {props.children}
        <CategoryFilter chosen={category} categories={categories} />
        {sortable && (
          <Select
            name="sort"
            aria-label={t('list.sort')}
            chosen={sort}
            options={labelledBy(SORTS, (it) => t(`sort.${it}`))}
          />
        )}
      </ListSearch>
    </>
  );
}

/** The viewer's quizzes: searched, sorted, filtered, and changed together. */
export function QuizListPage(props: {
  quizzes: OwnedQuiz[];
  /** Of those that match. */
  total: number;
  filter: ListFilter;
  page: PageOf;
  states: Record<QuizState, number>;
  categories: { category: string; quizzes: number }[];
  suggested: string[];
  limit: number | null;
  offer: Offer;
  figures: Map<string, QuizFigures>;
  /** By unlisted links. */
  canShare: boolean;
}) {
  const { number, t } = useMessages();
  const { quizzes, total, filter, page, states, categories, limit, offer } = props;
  const all = Object.values(states).reduce((sum, number) => sum + number, 0);
  const hasRoom = limit === null || all < limit;
  const { viewer } = usePage();
  const mayImport = useMayWrite();
  const playersOf = (id: string) => props.figures.get(id)?.players ?? 0;
  return (
    <Page
      title={t('nav.quizzes')}
      help={
        !mayImport
          ? t(props.canShare ? 'quizzes.helpShare' : 'quizzes.helpFree')
          : t(viewer?.isAdmin ? 'quizzes.helpAdmin' : 'quizzes.help')
      }
      action={
        <div class="buttons">
          {mayImport && (
            <>
              <LinkButton look="outline" href="/dashboard/imports/new" text={t('quizzes.import')} />
              <LinkButton look="outline" href="/dashboard/imports" text={t('quizzes.imports')} />
            </>
          )}
          {hasRoom && (
            <LinkButton look="primary" icon="plus" href={`${AT}/new`} text={t('quizzes.new')} />
          )}
        </div>
      }
    >
      {!hasRoom && <NoRoom limit={limit} offer={offer} />}
      {all > 0 && (
        <QuizFilters
          {...{ filter, states }}
          at={AT}
          categories={categories.map((it) => ({
            value: it.category,
            label: `${it.category} (${it.quizzes})`,
          }))}
        />
      )}
      <Table
        label={t('site.quizzes')}
        rows={quizzes}
        columns={[
          [t('field.title'), (quiz) => <SelectableTitle quiz={quiz} at={AT} />],
          [
            t('list.state'),
            (quiz) => (
              <>
                <StateBadge {...quiz} /> <ToCheck of={props.figures.get(quiz.id)} />
                {props.canShare && (
                  <OpenLinks number={props.figures.get(quiz.id)?.openLinkCount ?? 0} />
                )}
              </>
            ),
          ],
          [t('nav.questions'), ({ questionCount }) => questionCount],
          [
            t('list.players'),
            {
              number: ({ id, title }) => (
                <a
                  class="link"
                  href={`${AT}/${id}/results`}
                  aria-label={t('quizzes.resultsOf', { title, count: playersOf(id) })}
                >
                  {number(playersOf(id))}
                </a>
              ),
            },
          ],
          [t('list.changed'), ({ updatedAt }) => <Time at={updatedAt} />],
        ]}
        empty={
          all === 0
            ? hasRoom && <NoQuizzes />
            : total === 0 && <EmptyState title={t('list.noQuiz')} />
        }
      />
      {quizzes.length > 0 && <Bulk action={listHref(filter, `${AT}/bulk`)} of={props} />}
      <Pager page={page} total={total} at={listHref(filter)} />
    </Page>
  );
}

/** Who can play a quiz whatever its state is; nothing if no unlisted link is open. */
const OpenLinks = ({ number }: { number: number }) => {
  const { t } = useMessages();
  return number > 0 ? <span class="sub">{t('quizzes.openBy', { count: number })}</span> : null;
};

/** What can be done with the quizzes that are ticked. */
function Bulk({ action, of }: { action: string; of: { suggested: string[] } }) {
  const { t } = useMessages();
  return (
    <div class="bulk toolbar">
      <SelectAll name="quiz" />
      <BulkButton act="publish" label={t('do.publish')} />
      <BulkButton act="unpublish" label={t('do.unpublish')} />
      <BulkButton act="export" label={t('do.export')} />
      <Confirm
        label={t('do.delete')}
        form="bulk"
        action={action}
        fields={{ act: 'delete' }}
        question={t('quizzes.deleteSelected')}
        effect={t('quizzes.deleteEffect')}
        button={t('quizzes.deleteButton')}
      />
      <input
        class="input"
        form="bulk"
        name="category"
        aria-label={t('quizzes.newCategory')}
        placeholder={t('quizzes.newCategory')}
        list="categories"
      />
      <BulkButton act="move" label={t('do.move')} />
      <datalist id="categories">
        {of.suggested.map((name) => (
          <option value={name} />
        ))}
      </datalist>
      <BulkForm action={action} />
    </div>
  );
}

function NoQuizzes() {
  const { t } = useMessages();
  const mayImport = useMayWrite();
  return (
    <EmptyState title={t('quizzes.none')}>
      {mayImport && <p>{t('quizzes.noneText')}</p>}
      <div class="buttons">
        <LinkButton look="outline" href={`${AT}/new`} text={t('quizzes.write')} />
        {mayImport && (
          <LinkButton look="outline" href="/dashboard/imports/new" text={t('quizzes.import')} />
        )}
      </div>
    </EmptyState>
  );
}
