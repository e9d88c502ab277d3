import type { ImportView } from '../../../import-export/imports/import';
import { EmptyState, Table } from '../../components/table';
import { Page } from '../../components/page';
import { Pager, type PageOf } from '../../components/pager';
import { Badge } from '../../components/badge';
import { Time } from '../../components/format';
import { BACK_TO_QUIZZES } from '../quizzes/quiz-form.page';
import { PLAN_NEEDED } from '../quizzes/quiz-labels';
import { stateOf } from './import-labels';

const AT = '/dashboard/imports';

/** Files that the account has sent, with what became of them. */
export function ImportsPage({
  imports,
  total,
  page,
  mayImport,
}: {
  imports: ImportView[];
  total: number;
  page: PageOf;
  mayImport: boolean;
}) {
  return (
    <Page
      title="Imports"
      help="Your imports and previews, newest first."
      back={BACK_TO_QUIZZES}
      action={
        mayImport && (
          <a class="btn" href={`${AT}/new`}>
            Import a file
          </a>
        )
      }
    >
      {total === 0 ? (
        <EmptyState title="No imports yet">
          <p>Questions come in as JSON, CSV, GIFT, Aiken, Moodle XML and more.</p>
          {mayImport ? (
            <a class="btn" data-variant="outline" href={`${AT}/new`}>
              Choose a file
            </a>
          ) : (
            <p>{PLAN_NEEDED}</p>
          )}
        </EmptyState>
      ) : (
        <Table
          label="Imports"
          rows={imports}
          rowKey={({ id }) => id}
          columns={[
            {
              title: 'File',
              cell: ({ id, fileName }) => (
                <a class="link clip" href={`${AT}/${id}`} title={fileName}>
                  {fileName}
                </a>
              ),
            },
            {
              title: 'State',
              cell: (view) => {
                const [word, variant] = stateOf(view);
                return <Badge variant={variant}>{word}</Badge>;
              },
            },
            { title: 'Rows', kind: 'number', cell: ({ rows }) => rows.toLocaleString('en') },
            {
              title: 'Imported',
              kind: 'number',
              cell: ({ imported }) => imported.toLocaleString('en'),
            },
            { title: 'Sent', cell: ({ createdAt }) => <Time at={createdAt} /> },
          ]}
        />
      )}
      <Pager page={page} total={total} hrefOf={(number) => `${AT}?page=${number}`} />
    </Page>
  );
}
