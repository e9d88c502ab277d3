import { partTitle, QUIZ_SIZE, type ImportPart } from '../../exchange/imports/import';
import { Table } from '../kit/table';

/** The quizzes that a file would make. */
export function ImportParts({ parts }: { parts: ImportPart[] }) {
  return (
    <section class="section">
      <h2>Quizzes</h2>
      <p>
        What the file makes: a quiz for each title, and of questions without one numbered parts of
        their category, {QUIZ_SIZE} questions in each.
      </p>
      <Table
        label="Quizzes"
        rows={parts}
        rowKey={({ file, title, category }) => JSON.stringify([file, title, category])}
        columns={[
          {
            title: 'Title',
            cell: ({ title, category }) => {
              const name = title ?? partTitle(category, '…');
              return (
                <bdi class="clip" title={name}>
                  {name}
                </bdi>
              );
            },
          },
          {
            title: 'Category',
            cell: ({ category }) =>
              category ? <bdi class="clip">{category}</bdi> : <span class="muted">none</span>,
          },
          {
            title: 'Questions',
            kind: 'number',
            cell: ({ rows }) => rows.toLocaleString('en'),
          },
        ]}
      />
    </section>
  );
}
