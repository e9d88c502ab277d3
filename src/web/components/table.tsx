import type { ComponentChildren } from 'preact';

/** A column: its title, and what a row shows in it. */
export interface Column<Row> {
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** `number`: to the right, in figures of one width; `actions`: buttons at the end, without a title. */
  kind?: 'number' | 'actions';
}

/** Rows: they scroll sideways where the page is narrow, and are cards on a phone. */
export function Table<Row>({
  label,
  rows,
  columns,
  rowKey,
}: {
  /** What the rows are, for screen readers. */
  label: string;
  rows: readonly Row[];
  columns: Column<Row>[];
  rowKey: (row: Row) => string;
}) {
  return (
    <div class="table-box" role="region" aria-label={label} tabIndex={0}>
      <table class="table">
        <thead>
          <tr>
            {columns.map(({ title, kind }) => (
              <th key={title} scope="col" class={kind}>
                {kind === 'actions' ? <span class="sr-only">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ title, cell, kind }) => (
                <td key={title} class={kind} data-title={kind === 'actions' ? undefined : title}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Where a list has nothing to show: says so, and offers the next step or command. */
export function EmptyState({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty-state">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** One of several ways to see a list, with how many there are. Stands in a `nav.tabs`. */
export function Tab(tab: { href: string; label: string; number: number; current: boolean }) {
  return (
    <a href={tab.href} aria-current={tab.current ? 'page' : undefined}>
      {tab.label} <span class="count">{tab.number.toLocaleString('en')}</span>
    </a>
  );
}
