import { partTitle, QUIZ_SIZE, type ImportGroup } from '../../../import-export/imports/import';
import { Table } from '../../components/table';

/** The quizzes that a file would make. */
export function ImportGroups({ groups }: { groups: ImportGroup[] }) {
  return (
    <section class="section">
      <h2>Quizzes</h2>
      <p>
        The file becomes a quiz for each title. Questions without a title go into quizzes of up to{' '}
        {QUIZ_SIZE} questions, named after their category or the file.
      </p>
      <Table
        label="Quizzes"
        rows={groups}
        rowKey={({ file, title, category }) => JSON.stringify([file, title, category])}
        columns={[
          {
            title: 'Title',
            cell: ({ title, category, name: fileName, rows }) => {
              const part = rows > QUIZ_SIZE ? '…' : undefined;
              const name = title ?? partTitle(category ?? fileName, part);
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
