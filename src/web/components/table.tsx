import type { ComponentChildren } from 'preact';
import { useMessages } from '../http/page-context';
import { LinkButton } from './button';
import { withParameter } from './format';

type Cell<Row> = (row: Row) => ComponentChildren;

export type Column<Row> = readonly [title: string, cell: Cell<Row> | { number: Cell<Row> }];

/**
 * A table that scrolls sideways on a narrow page, and becomes cards on a phone. Numbers are right-aligned, and so is a
 * column given as `{ number }`.
 */
export function Table<Row>({
  label,
  rows,
  columns,
  actions,
  empty,
}: {
  /** What the rows are, for screen readers. */
  label: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  /** The buttons of a row, in a last column without a visible title. */
  actions?: Cell<Row>;
  /** Replaces a table without rows. Where the list has pages: only if it is empty, and not on a page after its last. */
  empty?: ComponentChildren;
}) {
  const { number, t } = useMessages();
  const [first] = rows;
  if (first === undefined) return <>{empty}</>;
  const shownAs = (content: ComponentChildren) =>
    typeof content === 'number' ? number(content) : content;
  const shown = columns.map(([title, column]) => {
    const cell = typeof column === 'function' ? column : column.number;
    const isNumber = cell !== column || typeof cell(first) === 'number';
    return { title, cell, class: isNumber ? 'number' : undefined };
  });
  return (
    <div class="table-box" role="region" aria-label={label} tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            {shown.map((column) => (
              <th scope="col" class={column.class}>
                {column.title}
              </th>
            ))}
            {actions && (
              <th scope="col" class="actions">
                <span class="sr-only">{t('table.actions')}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr>
              {shown.map((column) => (
                <td class={column.class} data-title={column.title}>
                  {shownAs(column.cell(row))}
                </td>
              ))}
              {actions && <td class="actions">{actions(row)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** For an empty list: says that it is empty, and offers the next step or command. */
export function EmptyState(props: { title: string; text?: string; children?: ComponentChildren }) {
  return (
    <div class="empty-state">
      <h2>{props.title}</h2>
      {props.text && <p>{props.text}</p>}
      {props.children}
    </div>
  );
}

/** The views of a list, each with its count if that is known. */
export function Tabs({
  label,
  tabs,
}: {
  label: string;
  tabs: { href: string; label: string; number?: number; current: boolean }[];
}) {
  const { number } = useMessages();
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a href={tab.href} aria-current={tab.current ? 'page' : undefined}>
          {tab.label} {tab.number !== undefined && <span class="count">{number(tab.number)}</span>}
        </a>
      ))}
    </nav>
  );
}

/** A page of a list: its number from 1, and the corresponding part of a query. */
export interface PageOf {
  number: number;
  limit: number;
  offset: number;
}

/** Reads `?page=`; any invalid value is the first page. */
export function pageOf(given: string, limit: number): PageOf {
  const number = /^[1-9]\d{0,5}$/.test(given) ? Number(given) : 1;
  return { number, limit, offset: (number - 1) * limit };
}

/**
 * `26 to 50 of 312`, and links to the previous and the next page. In place of a page after the last one: that there is none,
 * and a link to the last.
 */
export function Pager({
  page,
  total,
  at,
  fragment = '',
}: {
  page: PageOf;
  total: number;
  /** The list's URL, with its filters. */
  at: string;
  /** `#report` */
  fragment?: string;
}) {
  const { t } = useMessages();
  if (total === 0 || (total <= page.limit && page.number === 1)) return null;
  const hrefOf = (number: number) => `${withParameter(at, 'page', number)}${fragment}`;
  if (page.offset >= total)
    return (
      <EmptyState title={t('list.noPage', { number: page.number })}>
        <LinkButton
          look="outline"
          href={hrefOf(Math.ceil(total / page.limit))}
          text={t('list.toLast')}
        />
      </EmptyState>
    );
  const last = Math.min(page.offset + page.limit, total);
  const text = t('list.shown', { first: page.offset + 1, last, total });
  const links = {
    [t('list.previous')]: page.number > 1 && hrefOf(page.number - 1),
    [t('list.next')]: last < total && hrefOf(page.number + 1),
  };
  return <Pages text={text} links={links} />;
}

/** Links through a list that begins with its newest entry and has no total. */
export function NewestFirst({ newest, older }: { newest?: string; older?: string }) {
  const { t } = useMessages();
  if (!newest && !older) return null;
  const links = { [t('list.newest')]: newest, [t('list.older')]: older };
  return <Pages text={t('list.newestFirst')} links={links} />;
}

function Pages(props: { text: string; links: Record<string, string | false | undefined> }) {
  const { t } = useMessages();
  return (
    <nav class="pages" aria-label={t('list.pages')}>
      <span>{props.text}</span>
      <div>
        {Object.entries(props.links).map(
          ([text, href]) => href && <LinkButton href={href} text={text} />,
        )}
      </div>
    </nav>
  );
}
