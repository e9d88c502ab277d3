import type { ImportPart, ImportView } from '../../exchange/imports/import';
import { Table } from '../kit/table';

/** The quizzes that a file makes, or has made. */
export function ImportParts({ view, parts }: { view: ImportView; parts: ImportPart[] }) {
  return (
    <section class="section">
      <h2>Quizzes</h2>
      <p>
        {view.dryRun ? 'What the file makes' : 'What the file has made'}: a quiz for each title, or
        for each category, 50 questions at most.
      </p>
      <Table
        label="Quizzes"
        rows={parts}
        rowKey={({ file, title, category }) => JSON.stringify([file, title, category])}
        columns={[
          {
            title: 'Title',
            cell: ({ title, category }) => {
              const name = title ?? category ?? view.fileName;
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
            // Of a cancelled or stopped import not all that the file has.
            cell: ({ rows, imported }) => (view.dryRun ? rows : imported).toLocaleString('en'),
          },
        ]}
      />
    </section>
  );
}
