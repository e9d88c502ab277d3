import { wholeVersion } from '../../../authoring/quizzes/quiz-editor.service';
import type { OwnedQuizDetail } from '../../../catalog/quizzes/owned-quizzes.service';
import { LIMITS } from '../../../platform/limits/limits';
import type { Messages } from '../../../platform/messages/messages';
import {
  canonicalLanguage,
  commonLanguages,
  languageName,
} from '../../../platform/text/language.rules';
import { LinkButton } from '../../components/button';
import {
  FieldErrors,
  invalidBy,
  PostForm,
  SelectField,
  TextInput,
  useForm,
  VersionField,
} from '../../components/fields';
import { Page } from '../../components/page';
import type { Form } from '../../http/form';
import { useMayWrite, useMessages } from '../../http/page-context';
import { EditedQuestion } from './edited-question';
import { EditorAssets, RowButton, WritingHelp } from './question-fields';
import { isBlank, MOST_QUESTIONS, questionValues } from './question-form';
import { editorValues, fitsEditor } from './quiz-form';
import { backTo, backToQuizzes, useDifficulties } from './quiz-parts';

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
  const messages = useMessages();
  const { t } = messages;
  const { quiz, categories, languages } = props;
  const hasQuestions = quiz === null || fitsEditor(quiz);
  const blank = questionValues('KEY', { difficulty: 'MEDIUM' });
  const form = (
    props.form.isBlank ? props.form.plus(editorValues(quiz, languages[0])) : props.form
  ).plus(blank);
  const keys = [...new Set(form.all('question'))].slice(0, MOST_QUESTIONS);
  const written = keys.filter((key) => !isBlank(form, key)).length;
  const isDraft = quiz === null || quiz.state === 'draft';
  const back = quiz ? backTo(quiz) : backToQuizzes(messages);
  return (
    <Page title={t(quiz ? 'editor.edit' : 'quizzes.new')} back={back} head={<EditorAssets />}>
      <PostForm
        form={form}
        action={quiz ? `/dashboard/quizzes/${quiz.id}/edit` : '/dashboard/quizzes'}
        class="form wide editor"
      >
        {/* Enter presses a form's first button, so the first one must save. */}
        <button class="sr-only" tabIndex={-1} aria-hidden="true">
          {t('do.save')}
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
              <RowButton then="add" icon="plus" text={t('quiz.addQuestion')} />
              <RowButton then="find" text={t('editor.find')} />
            </div>
          </>
        ) : (
          <p class="muted">{t('editor.tooLarge')}</p>
        )}
        <div class="buttons">
          {hasQuestions && (
            <span class="muted small" data-count>
              {t('count.questions', { count: written })}
            </span>
          )}
          <LinkButton look="ghost" href={back.href} text={t('do.cancel')} />
          <SaveButtons isDraft={isDraft} canPublish={isDraft && hasQuestions} />
        </div>
      </PostForm>
    </Page>
  );
}

/** Without a plan only Save: Publish would be refused once all is written. */
function SaveButtons(props: { isDraft: boolean; canPublish: boolean }) {
  const { t } = useMessages();
  const mayPublish = useMayWrite();
  const canPublish = props.canPublish && mayPublish;
  return (
    <>
      <button class="btn" data-variant={canPublish ? 'outline' : undefined}>
        {props.isDraft ? t('editor.saveDraft') : t('do.save')}
      </button>
      {canPublish && (
        <button class="btn" name="then" value="publish">
          {t('do.publish')}
        </button>
      )}
    </>
  );
}

/** It looks as the heading that it becomes. */
function QuizTitle({ autofocus }: { autofocus: boolean }) {
  const messages = useMessages();
  const { t } = messages;
  const form = useForm();
  const errors = form.errorsOf('title', messages);
  return (
    <div class="quiz-title">
      <input
        type="text"
        name="title"
        value={form.text('title')}
        aria-label={t('field.title')}
        placeholder={t('editor.titlePlaceholder')}
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
function languageOptions(chosen: string, usual: readonly string[], { t, language }: Messages) {
  const named = (tag: string) => ({ value: tag, label: languageName(tag, language) });
  const first = [...new Set([...usual, ...(canonicalLanguage(chosen) ? [chosen] : [])])];
  const others = commonLanguages()
    .filter((tag) => !first.includes(tag))
    .map(named)
    .sort((one, other) => one.label.localeCompare(other.label, language));
  return [{ value: '', label: t('editor.notSaid') }, ...first.map(named), ...others];
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
  const messages = useMessages();
  const { t } = messages;
  const form = useForm();
  const { errors } = form;
  return (
    <details class="panel settings" open={errors.some(({ path }) => SETTINGS.includes(path))}>
      <summary>
        <h2>{t('editor.settings')}</h2>
        <span class="muted small">{t('editor.settingsOf')}</span>
      </summary>
      <div class="form wide">
        {slug !== undefined && <p class="muted small">{t('editor.slug', { slug })}</p>}
        <TextInput
          name="description"
          label={t('field.description')}
          help={t('editor.descriptionHelp')}
          rows={2}
        />
        <div class="form form-row">
          <TextInput
            name="category"
            label={t('field.category')}
            help={t('editor.categoryHelp')}
            list="categories"
          />
          <SelectField
            name="difficulty"
            label={t('catalogue.difficulty')}
            options={useDifficulties()}
          />
        </div>
        <datalist id="categories">
          {categories.map((name) => (
            <option value={name} />
          ))}
        </datalist>
        <div class="form form-row">
          <TextInput
            name="tags"
            label={t('field.tags')}
            help={t('editor.tagsHelp', { most: LIMITS.content.tagsPerQuiz.value })}
          />
          <SelectField
            name="language"
            label={t('page.language')}
            help={t('editor.languageHelp')}
            options={languageOptions(form.text('language'), languages, messages)}
          />
        </div>
        <div class="form form-row">
          <TextInput
            name="timeLimit"
            label={t('editor.timeLimit')}
            help={t('editor.timeLimitHelp')}
            inputMode="decimal"
          />
          <TextInput
            name="maxAttempts"
            label={t('editor.attempts')}
            help={t('editor.attemptsHelp')}
            inputMode="numeric"
          />
          <TextInput
            name="questionsPerAttempt"
            label={t('editor.drawn')}
            help={t('editor.drawnHelp')}
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
            <span class="choice-label">{t('editor.typos')}</span>
            <small>{t('editor.typosHelp')}</small>
          </span>
        </label>
      </div>
    </details>
  );
}
