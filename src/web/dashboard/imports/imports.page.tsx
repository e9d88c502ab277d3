import type { OwnedQuiz } from '../../../catalog/quizzes/owned-quizzes.service';
import { FORMAT_NAMES, formatOf } from '../../../import-export/formats/formats';
import type { Found, ImportView } from '../../../import-export/imports/import';
import { LinkButton } from '../../components/button';
import { optionsOf, SelectField, TextField } from '../../components/fields';
import { Time } from '../../components/format';
import { FormPage, Page } from '../../components/page';
import { Badge } from '../../components/section';
import { EmptyState, Pager, Table, type PageOf } from '../../components/table';
import type { Form } from '../../http/form';
import { BACK_TO_QUIZZES, backTo, DIFFICULTY_LABELS, PLAN_NEEDED } from '../quizzes/quiz-labels';
import { bytes, stateOf } from './import-tables';

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
      action={mayImport && <LinkButton look="primary" href={`${AT}/new`} text="Import a file" />}
    >
      <Table
        label="Imports"
        rows={rows}
        columns={{
          File: ({ id, filename }) => (
            <a class="link clip" href={`${AT}/${id}`} title={filename}>
              {filename}
            </a>
          ),
          State: (view) => {
            const [word, variant] = stateOf(view);
            return <Badge variant={variant}>{word}</Badge>;
          },
          Rows: ({ totals }) => totals.rows,
          Imported: ({ totals }) => totals.imported,
          Sent: ({ createdAt }) => <Time at={createdAt} />,
        }}
        empty={
          <EmptyState title="No imports yet">
            <p>Questions come in as JSON, CSV, GIFT, Aiken, Moodle XML and more.</p>
            {mayImport ? (
              <LinkButton look="outline" href={`${AT}/new`} text="Choose a file" />
            ) : (
              <p>{PLAN_NEEDED}</p>
            )}
          </EmptyState>
        }
      />
      <Pager page={page} total={total} at={AT} />
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
  const title = 'Import a file';
  const help = quiz
    ? `Its questions are appended to “${quiz.title}”. You see every row before anything is saved.`
    : 'The file becomes one or more new quizzes. You can check it before anything is saved.';
  if (!mayImport)
    return (
      <Page title={title} help={help} back={back}>
        <EmptyState title="Your plan does not import questions">
          <p>{PLAN_NEEDED}</p>
        </EmptyState>
      </Page>
    );
  return (
    <FormPage
      title={title}
      help={help}
      back={back}
      form={form}
      action={quiz ? `${AT}?quiz=${quiz.id}` : AT}
      enctype="multipart/form-data"
      button="Show preview"
    >
      <SelectField
        name="format"
        label="Format"
        options={[
          { value: '', label: 'Recognised from the file' },
          ...FORMAT_NAMES.map((name) => ({ value: name, label: formatOf(name).title })),
        ]}
      />
      <SelectField
        name="difficulty"
        label="Difficulty"
        help="Used for questions without a difficulty."
        initial="MEDIUM"
        options={optionsOf(DIFFICULTY_LABELS)}
      />
      <TextField
        name="source"
        label="Source"
        help="Where the questions come from. Kept with them and carried by exports; may be empty."
        maxLength={ATTRIBUTION_LENGTH}
      />
      <TextField
        name="licence"
        label="Licence"
        help="For example CC BY-SA 4.0."
        maxLength={ATTRIBUTION_LENGTH}
      />
      {/* The last one: what stands before it is known when the file begins to come. */}
      <TextField
        name="file"
        label="File"
        type="file"
        data-largest={largest}
        help={`JSON, CSV, GIFT, Aiken, Moodle XML and others, up to ${bytes(largest)}.`}
      />
    </FormPage>
  );
}
