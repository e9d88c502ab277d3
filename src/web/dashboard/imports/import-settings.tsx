import { FORMAT_NAMES, formatOf } from '../../../import-export/formats/formats';
import {
  COLUMN_NAMES,
  isField,
  type QuestionField,
} from '../../../import-export/formats/question-fields';
import {
  optionsOfPreview,
  type PreviewOptions,
} from '../../../import-export/imports/import-previews.service';
import {
  CreateImportQuery,
  type ImportOptions,
  type ImportView,
  optionsOf,
} from '../../../import-export/imports/imports.dto';
import { LIMITS } from '../../../platform/limits/limits';
import { translated } from '../../../platform/messages/refusals';
import { Select, SelectField, TextInput, useForm } from '../../components/fields';
import { Clip } from '../../components/format';
import { Table } from '../../components/table';
import { type Form, readForm } from '../../http/form';
import { useMessages } from '../../http/page-context';
import { labelledBy, useDifficulties } from '../quizzes/quiz-parts';

/** What can be changed about a preview: how the file is read, and what it becomes. */

const FIELDS = Object.keys(COLUMN_NAMES) as QuestionField[];

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
      published: String(form.text('published') === 'yes'),
      columns: columns?.map((name) => (isField(name) ? COLUMN_NAMES[name] : '-')).join(','),
    },
    (issue) => ({ ...issue, message: issue.message.replace('quiz_size', 'the number') }),
  );
  const options: Partial<ImportOptions> & PreviewOptions = optionsOf(query);
  delete options.dryRun;
  delete options.quizId;
  return comparable(options) === comparable(optionsOfPreview(view)) ? null : options;
}

/** Whether the file is read in another way, and not only grouped in another way. */
export function isReadAnew(options: PreviewOptions, view: ImportView): boolean {
  const before = optionsOfPreview(view);
  return (['format', 'columns', 'cards'] as const).some(
    (name) => JSON.stringify(options[name] ?? null) !== JSON.stringify(before[name] ?? null),
  );
}

const comparable = (options: PreviewOptions): string =>
  JSON.stringify(
    Object.entries(options)
      .filter(([, value]) => value !== undefined)
      .sort(),
  );

const ATTRIBUTION = ['source', 'licence'] as const;

/** The names of the fields below that can have an error. */
export const SETTINGS = ['category', 'quiz_size', 'difficulty', 'format', 'cards', ...ATTRIBUTION];

/** Whether one of these fields has an error: then it must not be folded away. */
export const hasErrorIn = ({ errors }: Form, names: readonly string[]): boolean =>
  errors.some(({ path }) => names.includes(path));

/** The fields of these settings, beside the title. */
export function ImportSettings({ view }: { view: ImportView }) {
  const messages = useMessages();
  const { t } = messages;
  const form = useForm();
  return (
    <>
      {view.quizId === null && (
        <div class="form form-row">
          <TextInput
            name="category"
            label={t('field.category')}
            initial={view.category ?? ''}
            placeholder={t('import.asInFile')}
            maxLength={LIMITS.content.categoryName.value}
          />
          <TextInput
            name="quiz_size"
            label={t('import.perQuiz')}
            initial={String(view.quizSize)}
            inputMode="numeric"
          />
        </div>
      )}
      <div class="form form-row">
        <SelectField
          name="difficulty"
          label={t('catalogue.difficulty')}
          help={t('import.difficultyHelp')}
          initial={view.difficulty}
          options={useDifficulties()}
        />
        <SelectField
          name="format"
          label={t('editor.format')}
          initial={view.format ?? ''}
          options={[
            { value: '', label: t('import.recognised') },
            ...FORMAT_NAMES.map((name) => ({
              value: name,
              label: translated(formatOf(name).title, messages, 'fileFormat.'),
            })),
          ]}
        />
        {view.columns && (
          <SelectField
            name="cards"
            label={t('import.cards')}
            initial={view.cards ?? ''}
            options={[
              { value: '', label: t('import.cardsAuto') },
              { value: 'open', label: t('import.cardsOpen') },
              { value: 'choice', label: t('type.MULTIPLE_CHOICE') },
            ]}
          />
        )}
      </div>
      {view.columns && <Columns columns={view.columns} />}
      <details class="more" open={hasErrorIn(form, ATTRIBUTION)}>
        <summary>{t('import.attribution')}</summary>
        <div class="form form-row">
          {ATTRIBUTION.map((name) => (
            <TextInput
              name={name}
              label={t(`column.${name}`)}
              help={t(`attribution.${name}`)}
              initial={view[name] ?? ''}
              maxLength={LIMITS.content.attribution.value}
            />
          ))}
        </div>
      </details>
    </>
  );
}

/** What each column of a table is read as. */
function Columns({ columns }: { columns: NonNullable<ImportView['columns']> }) {
  const { t } = useMessages();
  const typed = useForm().all('columns');
  const options = [
    { value: '', label: t('import.ignore') },
    ...labelledBy(FIELDS, (it) => t(`column.${it}`)),
  ];
  return (
    <Table
      label={t('import.columns')}
      rows={columns.map((column, place) => ({ ...column, place }))}
      columns={[
        [t('import.columnTitle'), ({ name }) => <Clip text={name} />],
        [t('import.firstValue'), ({ sample }) => <Clip text={sample} />],
        [
          t('import.use'),
          ({ name, field, place }) => (
            <Select
              name="columns"
              aria-label={t('import.useAs', { name })}
              chosen={typed[place] ?? field ?? ''}
              options={options}
            />
          ),
        ],
      ]}
    />
  );
}
