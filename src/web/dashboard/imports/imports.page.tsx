import type { OwnedQuiz } from '../../../catalog/quizzes/owned-quizzes.service';
import { FORMAT_NAMES, formatOf } from '../../../import-export/formats/formats';
import type { Found, ImportView } from '../../../import-export/imports/import';
import { Badge } from '../../components/badge';
import { FileField, FormErrors, SelectField, TextField } from '../../components/fields';
import { Time } from '../../components/format';
import { Page } from '../../components/page';
import { Pager, type PageOf } from '../../components/pager';
import { EmptyState, Table } from '../../components/table';
import type { Form } from '../../http/form';
import { BACK_TO_QUIZZES, backTo } from '../quizzes/quiz-form.page';
import { DIFFICULTY_LABELS, optionsOf, PLAN_NEEDED } from '../quizzes/quiz-labels';
import { bytes, stateOf } from './import-labels';

const AT = '/dashboard/imports';
/** Characters of a source or a licence, as POST /imports takes them. */
const ATTRIBUTION_LENGTH = 500;

/** Files that the account has sent, with what became of them. */
export function ImportsPage({
  found: { rows, total },
  page,
  mayImport,
}: {
  found: Found<ImportView>;
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
          rows={rows}
          rowKey={({ id }) => id}
          columns={[
            {
              title: 'File',
              cell: ({ id, filename }) => (
                <a class="link clip" href={`${AT}/${id}`} title={filename}>
                  {filename}
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
            {
              title: 'Rows',
              kind: 'number',
              cell: ({ totals }) => totals.rows.toLocaleString('en'),
            },
            {
              title: 'Imported',
              kind: 'number',
              cell: ({ totals }) => totals.imported.toLocaleString('en'),
            },
            { title: 'Sent', cell: ({ createdAt }) => <Time at={createdAt} /> },
          ]}
        />
      )}
      <Pager page={page} total={total} hrefOf={(number) => `${AT}?page=${number}`} />
    </Page>
  );
}

/** The choice of a file, for one quiz or for new ones. Nothing is saved by it. */
export function NewImportPage({
  quiz,
  form,
  mayImport,
  largest,
}: {
  /** null: the file makes quizzes of its own. */
  quiz: OwnedQuiz | null;
  form: Form;
  mayImport: boolean;
  /** Bytes. */
  largest: number;
}) {
  const back = quiz ? backTo(quiz) : BACK_TO_QUIZZES;
  return (
    <Page
      title="Import a file"
      help={
        quiz
          ? `Its questions are appended to “${quiz.title}”. You see every row before anything is saved.`
          : 'The file becomes one or more new quizzes. You can check it before anything is saved.'
      }
      back={back}
    >
      {mayImport ? (
        <form
          method="post"
          action={`/dashboard/imports${quiz ? `?quiz=${quiz.id}` : ''}`}
          enctype="multipart/form-data"
          class="form"
        >
          <FormErrors form={form} />
          <SelectField
            form={form}
            name="format"
            label="Format"
            options={[
              { value: '', label: 'Recognised from the file' },
              ...FORMAT_NAMES.map((name) => ({ value: name, label: formatOf(name).title })),
            ]}
          />
          <SelectField
            form={form}
            name="difficulty"
            label="Difficulty"
            help="Used for questions without a difficulty."
            initial="MEDIUM"
            options={optionsOf(DIFFICULTY_LABELS)}
          />
          <TextField
            form={form}
            name="source"
            label="Source"
            help="Where the questions come from. Kept with them and carried by exports; may be empty."
            maxLength={ATTRIBUTION_LENGTH}
          />
          <TextField
            form={form}
            name="licence"
            label="Licence"
            help="For example CC BY-SA 4.0."
            maxLength={ATTRIBUTION_LENGTH}
          />
          {/* The last one: what stands before it is known when the file begins to come. */}
          <FileField
            form={form}
            name="file"
            label="File"
            largest={largest}
            help={`JSON, CSV, GIFT, Aiken, Moodle XML and others, up to ${bytes(largest)}.`}
          />
          <div class="buttons">
            <button class="btn">Show preview</button>
            <a class="btn" data-variant="ghost" href={back.href}>
              Cancel
            </a>
          </div>
        </form>
      ) : (
        <EmptyState title="Your plan does not import questions">
          <p>{PLAN_NEEDED}</p>
        </EmptyState>
      )}
    </Page>
  );
}
