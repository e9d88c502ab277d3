import type { ComponentChildren } from 'preact';
import { mayWrite } from '../../../access/accounts/plan.rules';
import type {
  OwnedFilter,
  OwnedQuiz,
  OwnedSort,
} from '../../../catalog/quizzes/owned-quizzes.service';
import { QUIZ_STATES, type QuizState } from '../../../catalog/vocabulary';
import type { QuizFigures } from '../../../play/results/results.service';
import { BulkButton, SelectAll } from '../../components/bulk';
import { Confirm, LinkButton } from '../../components/button';
import { Select } from '../../components/fields';
import { count, Time } from '../../components/format';
import { Page } from '../../components/page';
import { EmptyState, type PageOf, Pager, Table, Tabs } from '../../components/table';
import { usePage } from '../../http/page-context';
import { ToCheck } from './check-key';
import { NoRoom, type Offer, SelectableTitle, StateBadge, STATES } from './quiz-parts';

const AT = '/dashboard/quizzes';

const SORT_LABELS: Record<OwnedSort, string> = {
  changed: 'Last changed',
  newest: 'Newest',
  title: 'Title',
  plays: 'Most played',
  questions: 'Most questions',
};

/** `owner`: the e-mail address or id of an account, in the administrators' list. */
export type ListFilter = Required<OwnedFilter> & { owner?: string };

/** Reads the filter of a URL; anything invalid does not filter. */
export function filterOf(query: (name: string) => string): ListFilter {
  const sorts = Object.keys(SORT_LABELS) as OwnedSort[];
  return {
    state: QUIZ_STATES.find((it) => it === query('state')) ?? null,
    category: query('category').slice(0, 100),
    search: query('q').slice(0, 200),
    sort: sorts.find((it) => it === query('sort')) ?? 'changed',
  };
}

/** The list with a filter. @param at `…/bulk`: what is done there leads back to the same list */
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
  const { filter, at, states, categories, sortable = true } = props;
  const { state, category, search, sort } = filter;
  const all = states && Object.values(states).reduce((sum, number) => sum + number, 0);
  const tabs = [null, ...QUIZ_STATES].map((it) => ({
    href: listHref({ ...filter, state: it }, at),
    label: it ? STATES[it].tab : 'All',
    number: it ? states?.[it] : all,
    current: state === it,
  }));
  return (
    <>
      <Tabs label="States" tabs={tabs} />
      <form class="toolbar" role="search" method="get" action={at}>
        {state && <input type="hidden" name="state" value={state} />}
        <input
          class="input"
          type="search"
          name="q"
          value={search}
          placeholder="Search title, description and tags"
          aria-label="Search title, description and tags"
        />
        {props.children}
        <Select
          name="category"
          aria-label="Category"
          chosen={category}
          options={[{ value: '', label: 'Any category' }, ...categories]}
        />
        {sortable && (
          <Select
            name="sort"
            aria-label="Sort by"
            chosen={sort}
            options={Object.entries(SORT_LABELS).map(([value, label]) => ({ value, label }))}
          />
        )}
        <button class="btn" data-variant="outline">
          Search
        </button>
      </form>
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
  const { quizzes, total, filter, page, states, categories, limit, offer } = props;
  const all = Object.values(states).reduce((sum, number) => sum + number, 0);
  const hasRoom = limit === null || all < limit;
  const { viewer } = usePage();
  const playersOf = (id: string) => props.figures.get(id)?.players ?? 0;
  return (
    <Page
      title="My quizzes"
      help={
        viewer && !mayWrite(viewer)
          ? `${props.canShare ? 'Share them by unlisted links. ' : ''}A plan makes them public.`
          : `A quiz goes live once you publish it${viewer?.isAdmin ? '' : ' and an administrator approves it'}.`
      }
      action={
        <div class="buttons">
          {viewer && mayWrite(viewer) && (
            <>
              <LinkButton look="outline" href="/dashboard/imports/new" text="Import a file" />
              <LinkButton look="outline" href="/dashboard/imports" text="Imports" />
            </>
          )}
          {hasRoom && <LinkButton look="primary" icon="plus" href={`${AT}/new`} text="New quiz" />}
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
        label="Quizzes"
        rows={quizzes}
        columns={{
          Title: (quiz) => <SelectableTitle quiz={quiz} at={AT} />,
          State: (quiz) => (
            <>
              <StateBadge {...quiz} /> <ToCheck of={props.figures.get(quiz.id)} />
              {props.canShare && (
                <OpenLinks number={props.figures.get(quiz.id)?.openLinkCount ?? 0} />
              )}
            </>
          ),
          Questions: ({ questionCount }) => questionCount,
          Players: {
            number: ({ id, title }) => (
              <a
                class="link"
                href={`${AT}/${id}/results`}
                aria-label={`Results of “${title}”: ${count(playersOf(id), 'player', 'players')}`}
              >
                {playersOf(id).toLocaleString('en')}
              </a>
            ),
          },
          Changed: ({ updatedAt }) => <Time at={updatedAt} />,
        }}
        empty={all > 0 ? <EmptyState title="No quiz matches" /> : hasRoom && <NoQuizzes />}
      />
      {quizzes.length > 0 && <Bulk action={listHref(filter, `${AT}/bulk`)} of={props} />}
      <Pager page={page} total={total} at={listHref(filter)} />
    </Page>
  );
}

/** Who can play a quiz whatever its state is; nothing if no unlisted link is open. */
const OpenLinks = ({ number }: { number: number }) =>
  number > 0 ? (
    <span class="sub">open by {count(number, 'unlisted link', 'unlisted links')}</span>
  ) : null;

/** What can be done with the quizzes that are ticked. */
function Bulk({ action, of }: { action: string; of: { suggested: string[] } }) {
  return (
    <div class="bulk toolbar">
      <SelectAll name="quiz" />
      <BulkButton act="publish" label="Publish" />
      <BulkButton act="unpublish" label="Unpublish" />
      <BulkButton act="export" label="Export" />
      <Confirm
        label="Delete"
        form="bulk"
        action={action}
        fields={{ act: 'delete' }}
        question="Delete the selected quizzes?"
        effect="Their questions are deleted with them, and their places in your plan are free again. This cannot be undone."
        button="Delete quizzes"
      />
      <input
        class="input"
        form="bulk"
        name="category"
        aria-label="New category"
        placeholder="New category"
        list="categories"
      />
      <BulkButton act="move" label="Move" />
      <datalist id="categories">
        {of.suggested.map((name) => (
          <option value={name} />
        ))}
      </datalist>
      <form id="bulk" method="post" action={action} />
    </div>
  );
}

function NoQuizzes() {
  const { viewer } = usePage();
  return (
    <EmptyState title="No quizzes yet">
      <p>Write one here, import a file of questions, or use the API.</p>
      <div class="buttons">
        <LinkButton look="outline" href={`${AT}/new`} text="Write a quiz" />
        {viewer && mayWrite(viewer) && (
          <LinkButton look="outline" href="/dashboard/imports/new" text="Import a file" />
        )}
      </div>
    </EmptyState>
  );
}
