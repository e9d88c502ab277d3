import { mayWrite } from '../../../access/accounts/plan.rules';
import { wholeVersion } from '../../../authoring/quizzes/quiz-editor.service';
import type { OwnedQuizDetail } from '../../../catalog/quizzes/owned-quizzes.service';
import {
  canonicalLanguage,
  commonLanguages,
  languageName,
} from '../../../platform/text/language.rules';
import { LinkButton } from '../../components/button';
import {
  FieldErrors,
  invalidBy,
  optionsOf,
  PostForm,
  SelectField,
  TextInput,
  useForm,
  VersionField,
} from '../../components/fields';
import { count } from '../../components/format';
import { Page } from '../../components/page';
import type { Form } from '../../http/form';
import { usePage } from '../../http/page-context';
import { EditedQuestion } from './edited-question';
import { EditorAssets, RowButton, WritingHelp } from './question-fields';
import { isBlank, questionValues } from './question-form';
import { editorValues, fitsEditor, MOST_QUESTIONS } from './quiz-form';
import { BACK_TO_QUIZZES, backTo, DIFFICULTY_LABELS } from './quiz-parts';

/**
 * A quiz with all its questions on one page.
 * @param props `quiz` null: a new one; `categories` are suggested; `languages` are the author's, the usual one first
 */
export function QuizFormPage(props: {
  quiz: OwnedQuizDetail | null;
  form: Form;
  categories: string[];
  languages: string[];
}) {
  const { quiz, categories, languages } = props;
  const hasQuestions = quiz === null || fitsEditor(quiz);
  const blank = questionValues('KEY', { difficulty: 'MEDIUM' });
  const form = (
    props.form.isBlank ? props.form.plus(editorValues(quiz, languages[0])) : props.form
  ).plus(blank);
  const keys = [...new Set(form.all('question'))].slice(0, MOST_QUESTIONS);
  const written = keys.filter((key) => !isBlank(form, key)).length;
  const isDraft = quiz === null || quiz.state === 'draft';
  const back = quiz ? backTo(quiz) : BACK_TO_QUIZZES;
  return (
    <Page title={quiz ? 'Edit quiz' : 'New quiz'} back={back} head={<EditorAssets />}>
      <PostForm
        form={form}
        action={quiz ? `/dashboard/quizzes/${quiz.id}/edit` : '/dashboard/quizzes'}
        class="form wide editor"
      >
        {/* Enter presses a form's first button, so the first one must save. */}
        <button class="sr-only" tabIndex={-1} aria-hidden="true">
          Save
        </button>
        {quiz && <VersionField version={wholeVersion(quiz)} />}
        {form.all('removed').map((id) => (
          <input type="hidden" name="removed" value={id} />
        ))}
        <QuizTitle autofocus={!quiz && props.form.isBlank} />
        <Settings categories={categories} languages={languages} slug={quiz?.slug} />
        {hasQuestions ? (
          <>
            <WritingHelp />
            <ol class="questions">
              {keys.map((key, at) => (
                <EditedQuestion name={key} number={at + 1} />
              ))}
            </ol>
            <template>
              <EditedQuestion name="KEY" number={0} />
            </template>
            <div class="buttons">
              <RowButton then="add" icon="plus" text="Add a question" />
              <RowButton then="find" text="Save, and add from my questions" />
            </div>
          </>
        ) : (
          <p class="muted">This quiz is too large for one page. Edit its questions one by one.</p>
        )}
        <div class="buttons">
          {hasQuestions && (
            <span class="muted small" data-count>
              {count(written, 'question', 'questions')}
            </span>
          )}
          <LinkButton look="ghost" href={back.href} text="Cancel" />
          <SaveButtons isDraft={isDraft} canPublish={isDraft && hasQuestions} />
        </div>
      </PostForm>
    </Page>
  );
}

/** Without a plan only Save: Publish would be refused once all is written. */
function SaveButtons(props: { isDraft: boolean; canPublish: boolean }) {
  const { viewer } = usePage();
  const canPublish = props.canPublish && viewer !== null && mayWrite(viewer);
  return (
    <>
      <button class="btn" data-variant={canPublish ? 'outline' : undefined}>
        {props.isDraft ? 'Save as draft' : 'Save'}
      </button>
      {canPublish && (
        <button class="btn" name="then" value="publish">
          Publish
        </button>
      )}
    </>
  );
}

/** It looks as the heading that it becomes. */
function QuizTitle({ autofocus }: { autofocus: boolean }) {
  const form = useForm();
  const errors = form.errorsOf('title');
  return (
    <div class="quiz-title">
      <input
        type="text"
        name="title"
        value={form.text('title')}
        aria-label="Title"
        placeholder="Title of the quiz"
        autocomplete="off"
        autofocus={autofocus}
        {...invalidBy(errors, 'title-error')}
      />
      <FieldErrors errors={errors} id="title-error" />
    </div>
  );
}

const SETTINGS = [
  'description',
  'category',
  'difficulty',
  'tags',
  'language',
  'timeLimit',
  'maxAttempts',
  'questionsPerAttempt',
];

/** The author's own languages, then the common ones by their names. @param chosen by a program it may be any other */
function languageOptions(chosen: string, usual: readonly string[]) {
  const named = (tag: string) => ({ value: tag, label: languageName(tag, 'en') });
  const first = [...new Set([...usual, ...(canonicalLanguage(chosen) ? [chosen] : [])])];
  const others = commonLanguages()
    .filter((tag) => !first.includes(tag))
    .map(named)
    .sort((one, other) => one.label.localeCompare(other.label, 'en'));
  return [{ value: '', label: 'Not said' }, ...first.map(named), ...others];
}

/** What has a default, and is seldom changed: folded, unless there is an error in it. */
function Settings({
  categories,
  languages,
  slug,
}: {
  categories: string[];
  languages: string[];
  slug?: string;
}) {
  const form = useForm();
  const { errors } = form;
  return (
    <details class="panel settings" open={errors.some(({ path }) => SETTINGS.includes(path))}>
      <summary>
        <h2>Settings</h2>
        <span class="muted small">
          Description, category, difficulty, tags, language, time, attempts, questions per attempt,
          typing errors
        </span>
      </summary>
      <div class="form wide">
        {slug !== undefined && (
          <p class="muted small">Editing does not change the quiz’s status or its link ({slug}).</p>
        )}
        <TextInput
          name="description"
          label="Description"
          help="Optional. What players read before they start."
          rows={2}
        />
        <div class="form form-row">
          <TextInput
            name="category"
            label="Category"
            help="Optional. Pick one, or type a new one."
            list="categories"
          />
          <SelectField
            name="difficulty"
            label="Difficulty"
            options={optionsOf(DIFFICULTY_LABELS)}
          />
        </div>
        <datalist id="categories">
          {categories.map((name) => (
            <option value={name} />
          ))}
        </datalist>
        <div class="form form-row">
          <TextInput name="tags" label="Tags" help="Optional. Up to 20, separated by commas." />
          <SelectField
            name="language"
            label="Language"
            help="Browsers pronounce, hyphenate and align its texts by it, and players filter by it."
            options={languageOptions(form.text('language'), languages)}
          />
        </div>
        <div class="form form-row">
          <TextInput
            name="timeLimit"
            label="Time limit in minutes"
            help="Optional. For the whole quiz. When the time is up, what was answered is scored."
            inputMode="decimal"
          />
          <TextInput
            name="maxAttempts"
            label="Attempts per player"
            help="Optional. A player without an account can start over in another browser."
            inputMode="numeric"
          />
          <TextInput
            name="questionsPerAttempt"
            label="Questions per attempt"
            help="Optional. How many of the questions each attempt draws. Empty: all of them."
            inputMode="numeric"
          />
        </div>
        <label class="choice">
          <input
            class="input"
            type="checkbox"
            name="acceptTypos"
            value="yes"
            checked={form.text('acceptTypos') === 'yes'}
          />
          <span>
            <span class="choice-label">Accept typing errors</span>
            <small>
              A typed answer with one typing error counts, if the accepted answer has six letters or
              more. Digits must be equal.
            </small>
          </span>
        </label>
      </div>
    </details>
  );
}
