import type { OwnedQuiz } from '../../../catalog/quizzes/owned-quizzes.service';
import { FORMAT_NAMES, formatOf } from '../../../import-export/formats/formats';
import { EmptyState } from '../../components/table';
import { FileField, FormErrors, SelectField, TextField } from '../../components/fields';
import { Page } from '../../components/page';
import { BACK_TO_QUIZZES, backTo } from '../quizzes/quiz-form.page';
import { DIFFICULTY_LABELS, optionsOf, PLAN_NEEDED } from '../quizzes/quiz-labels';
import type { Form } from '../../http/form';
import { ATTRIBUTION_LENGTH } from './import-source';
import { bytes } from './import-labels';

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
