import { FORMAT_NAMES, formatOf } from '../../../import-export/formats/formats';
import {
  COLUMN_NAMES,
  isField,
  type QuestionField,
} from '../../../import-export/formats/question-fields';
import type { PreviewOptions } from '../../../import-export/imports/import-previews.service';
import {
  CreateImportQuery,
  type ImportOptions,
  type ImportView,
  optionsOf,
} from '../../../import-export/imports/imports.dto';
import {
  optionsOf as choicesOf,
  Select,
  SelectField,
  TextInput,
  useForm,
} from '../../components/fields';
import { Clip } from '../../components/format';
import { Table } from '../../components/table';
import { type Form, readForm } from '../../http/form';
import { DIFFICULTY_LABELS } from '../quizzes/quiz-parts';

/** What can be changed about a preview: how the file is read, and what it becomes. */

/** Maximum length of a source or a licence, as for POST /imports. */
const ATTRIBUTION_LENGTH = 500;
const ATTRIBUTION = {
  source: 'Where the questions come from; exports include it.',
  licence: 'For example CC BY-SA 4.0.',
};

const FIELD_LABELS: Record<QuestionField, string> = {
  text: 'Question',
  option: 'An answer',
  correct: 'Correct answer',
  numbers: 'Numbers of the correct answers',
  wrong: 'A wrong answer',
  options: 'All answers, as a list',
  wrongs: 'All wrong answers, as a list',
  type: 'Kind of question',
  difficulty: 'Difficulty',
  format: 'Format',
  explanation: 'Explanation',
  source: 'Source',
  licence: 'Licence',
  quizTitle: 'Quiz: title',
  quizDescription: 'Quiz: description',
  quizCategory: 'Quiz: category',
  quizDifficulty: 'Quiz: difficulty',
  quizTags: 'Quiz: tags',
  quizLanguage: 'Quiz: language',
  quizTimeLimit: 'Quiz: time limit in seconds',
  quizMaxAttempts: 'Quiz: attempts per player',
  quizQuestionsPerAttempt: 'Quiz: questions per attempt',
  quizAcceptTypos: 'Quiz: accepts typing errors',
};

/** The settings of the form; null if they are those of the preview. @throws Invalid */
export function readChanges(form: Form, view: ImportView): PreviewOptions | null {
  if (!form.text('difficulty')) return null;
  const given = form.all('columns');
  const isAsRead = (view.columns ?? []).every(({ field }, place) => (field ?? '') === given[place]);
  const columns = isAsRead ? view.read : given;
  const text = (name: string) => form.text(name).trim() || undefined;
  const query = readForm(
    CreateImportQuery,
    {
      format: text('format'),
      difficulty: text('difficulty'),
      source: text('source'),
      licence: text('licence'),
      title: text('title'),
      category: text('category'),
      quiz_size: text('quiz_size'),
      cards: text('cards'),
      columns: columns?.map((name) => (isField(name) ? COLUMN_NAMES[name] : '-')).join(','),
    },
    (issue) => ({ ...issue, message: issue.message.replace('quiz_size', 'the number') }),
  );
  const options: Partial<ImportOptions> & PreviewOptions = optionsOf(query);
  delete options.dryRun;
  delete options.quizId;
  return comparable(options) === comparable(asOptions(view)) ? null : options;
}

/** Whether the file is read in another way, and not only grouped in another way. */
export function isReadAnew(options: PreviewOptions, view: ImportView): boolean {
  const before = asOptions(view);
  return (['format', 'columns', 'cards'] as const).some(
    (name) => JSON.stringify(options[name] ?? null) !== JSON.stringify(before[name] ?? null),
  );
}

const asOptions = (view: ImportView): PreviewOptions => ({
  ...{
    format: view.format ?? undefined,
    columns: view.read ?? undefined,
    cards: view.cards ?? undefined,
  },
  ...{ difficulty: view.difficulty, published: false, quizSize: view.quizSize },
  ...{ source: view.source ?? undefined, licence: view.licence ?? undefined },
  ...{ title: view.title ?? undefined, category: view.category ?? undefined },
});

const comparable = (options: PreviewOptions): string =>
  JSON.stringify(
    Object.entries(options)
      .filter(([, value]) => value !== undefined)
      .sort(),
  );

/** The fields of these settings, beside the title. */
export function ImportSettings({ view }: { view: ImportView }) {
  return (
    <>
      {view.quizId === null && (
        <div class="form form-row">
          <TextInput
            name="category"
            label="Category"
            initial={view.category ?? ''}
            placeholder="As in the file"
            maxLength={100}
          />
          <TextInput
            name="quiz_size"
            label="Questions per quiz"
            initial={String(view.quizSize)}
            inputMode="numeric"
          />
        </div>
      )}
      <div class="form form-row">
        <SelectField
          name="difficulty"
          label="Difficulty"
          help="Used for questions without a difficulty."
          initial={view.difficulty}
          options={choicesOf(DIFFICULTY_LABELS)}
        />
        <SelectField
          name="format"
          label="Format"
          initial={view.format ?? ''}
          options={[
            { value: '', label: 'Recognised from the file' },
            ...FORMAT_NAMES.map((name) => ({ value: name, label: formatOf(name).title })),
          ]}
        />
        {view.columns && (
          <SelectField
            name="cards"
            label="Flash cards become"
            initial={view.cards ?? ''}
            options={[
              { value: '', label: 'What suits their length' },
              { value: 'open', label: 'Typed answers' },
              { value: 'choice', label: 'Multiple choice' },
            ]}
          />
        )}
      </div>
      {view.columns && <Columns columns={view.columns} />}
      <details class="more">
        <summary>Source and licence</summary>
        <div class="form form-row">
          {(['source', 'licence'] as const).map((name) => (
            <TextInput
              name={name}
              label={name === 'source' ? 'Source' : 'Licence'}
              help={ATTRIBUTION[name]}
              initial={view[name] ?? ''}
              maxLength={ATTRIBUTION_LENGTH}
            />
          ))}
        </div>
      </details>
    </>
  );
}

/** What each column of a table is read as. */
function Columns({ columns }: { columns: NonNullable<ImportView['columns']> }) {
  const typed = useForm().all('columns');
  const options = [{ value: '', label: 'Ignore' }, ...choicesOf(FIELD_LABELS)];
  return (
    <Table
      label="Columns"
      rows={columns.map((column, place) => ({ ...column, place }))}
      columns={{
        Column: ({ name }) => <Clip text={name} />,
        'First value': ({ sample }) => <Clip text={sample} />,
        'Use as': ({ name, field, place }) => (
          <Select
            name="columns"
            aria-label={`Use ${name} as`}
            chosen={typed[place] ?? field ?? ''}
            options={options}
          />
        ),
      }}
    />
  );
}
