import type { Remark } from '../../exchange/imports/import';
import { EmptyState } from '../kit/empty-state';
import { Pager } from '../kit/pager';
import type { PageOf } from '../kit/paging.rules';
import { Pill } from '../kit/pill';
import { Table } from '../kit/table';
import { REMARK_WORDS } from './import-words';

/** What is said of rows: where, what is wrong, how to mend it. */
export function ImportReport({
  remarks,
  total,
  page,
  at,
}: {
  remarks: Remark[];
  total: number;
  page: PageOf;
  at: string;
}) {
  return (
    <section class="section" id="report">
      <h2>Report</h2>
      {total === 0 ? (
        <EmptyState title="Every row is in order" />
      ) : (
        <>
          <p>Rows that are left out or that you may want to look at. All others are in order.</p>
          <Table
            label="Report"
            rows={remarks.map((remark, index) => ({ ...remark, index }))}
            rowKey={({ index }) => String(index)}
            columns={[
              {
                title: 'Where',
                cell: ({ line, path }) => (
                  <>
                    Line {line.toLocaleString('en')}
                    {path && <span class="sub mono clip">{path}</span>}
                  </>
                ),
              },
              {
                title: 'Result',
                cell: ({ kind }) => {
                  const [word, tone] = REMARK_WORDS[kind];
                  return <Pill tone={tone}>{word}</Pill>;
                },
              },
              { title: 'Reason', cell: ({ message }) => <p class="reason">{message}</p> },
            ]}
          />
          <Pager page={page} total={total} hrefOf={(number) => `${at}?page=${number}#report`} />
        </>
      )}
    </section>
  );
}
