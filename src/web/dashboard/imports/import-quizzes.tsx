import type { ImportQuiz, ImportView } from '../../../import-export/imports/import';
import { EmptyState, Table } from '../../components/table';
import { Page } from '../../components/page';
import { Pager, type PageOf } from '../../components/pager';

/** Quizzes that the page of an import names; the others have a page of their own. */
export const NAMED = 10;

/** The quizzes that an import has made, the first of them. */
export function ImportQuizzes({
  quizzes,
  total,
  at,
}: {
  quizzes: ImportQuiz[];
  total: number;
  at: string;
}) {
  return (
    <section class="section">
      <h2>Quizzes</h2>
      <QuizzesTable quizzes={quizzes} />
      {total > quizzes.length && (
        <p class="after">
          <a class="link" href={`${at}/quizzes`}>
            All {total.toLocaleString('en')} quizzes of this import
          </a>
        </p>
      )}
    </section>
  );
}

/** All of them. */
export function ImportQuizzesPage({
  view,
  quizzes,
  total,
  page,
}: {
  view: ImportView;
  quizzes: ImportQuiz[];
  total: number;
  page: PageOf;
}) {
  const at = `/dashboard/imports/${view.id}`;
  return (
    <Page
      title="Quizzes of an import"
      help={<span class="said">{view.fileName}</span>}
      back={{ href: at, label: 'The import' }}
    >
      {total === 0 ? (
        <EmptyState title="It has made no quizzes" />
      ) : (
        <QuizzesTable quizzes={quizzes} />
      )}
      <Pager page={page} total={total} hrefOf={(number) => `${at}/quizzes?page=${number}`} />
    </Page>
  );
}

function QuizzesTable({ quizzes }: { quizzes: ImportQuiz[] }) {
  return (
    <Table
      label="Quizzes"
      rows={quizzes}
      rowKey={({ id }) => id}
      columns={[
        {
          title: 'Title',
          cell: ({ id, title, deleted }) =>
            deleted ? (
              <>
                <bdi class="clip">{title}</bdi>
                <span class="sub">deleted since</span>
              </>
            ) : (
              <a class="link clip" href={`/dashboard/quizzes/${id}`} title={title}>
                <bdi>{title}</bdi>
              </a>
            ),
        },
        {
          title: 'Questions',
          kind: 'number',
          cell: ({ questions }) => questions.toLocaleString('en'),
        },
      ]}
    />
  );
}
