import { WholeQuiz, wholeVersion } from '../../../authoring/quizzes/quiz-editor.service';
import type { OwnedQuizDetail } from '../../../catalog/quizzes/owned-quizzes.service';
import { LIMITS } from '../../../platform/limits/limits';
import { LinkButton } from '../../components/button';
import {
  optionsOf,
  PostForm,
  SelectField,
  TextInput,
  useForm,
  VersionField,
} from '../../components/fields';
import { Page } from '../../components/page';
import { assetPath } from '../../http/assets';
import { fieldError, type Form, readForm } from '../../http/form';
import { QuestionFields, RowButton } from './question-fields';
import { isBlank, questionBody, questionIssue, questionValues } from './question-form';
import { BACK_TO_QUIZZES, backTo, DIFFICULTY_LABELS } from './quiz-parts';

const { questionsInEditor, editorBytes } = LIMITS.content;

/** Whether a quiz fits on one page, which is sent as one form. Else its questions are edited one by one. */
const fitsEditor = (quiz: { questionCount: number; contentBytes: number }): boolean =>
  quiz.questionCount <= questionsInEditor.value && quiz.contentBytes <= editorBytes.value;

/** What the editor holds before anything is typed. @param quiz null: a new one */
function editorValues(quiz: OwnedQuizDetail | null): Record<string, string | string[]> {
  const difficulty = quiz?.difficulty ?? 'MEDIUM';
  const questions = quiz && fitsEditor(quiz) ? quiz.questions : [];
  const keys = questions.map((_, at) => `q${at + 1}`);
  const blank = quiz === null || (fitsEditor(quiz) && questions.length === 0) ? ['q0'] : [];
  return Object.assign(
    {
      version: quiz ? wholeVersion(quiz) : '',
      title: quiz?.title ?? '',
      description: quiz?.description ?? '',
      category: quiz?.category ?? '',
      difficulty,
      tags: quiz?.tags.join(', ') ?? '',
      timeLimit: quiz?.timeLimit ? String(Number((quiz.timeLimit / 60).toFixed(3))) : '',
      maxAttempts: quiz?.maxAttempts ? String(quiz.maxAttempts) : '',
      question: [...keys, ...blank],
    },
    ...blank.map((key) => questionValues(key, { difficulty })),
    ...questions.map((question, at) => questionValues(keys[at] ?? '', question)),
  ) as Record<string, string | string[]>;
}

/**
 * The form's input. Questions in which nothing was written are left out. Tags are one field here: an error in one of
 * them is an error of the field.
 * @throws Invalid
 */
export function readQuiz(form: Form) {
  const published = form.text('then') === 'publish';
  const all = form.all('question');
  const written = all.filter((key) => !isBlank(form, key));
  // A quiz that is published needs a question: the errors of a blank one say what it needs.
  const keys = published && written.length === 0 ? all.slice(0, 1) : written;
  if (keys.length > questionsInEditor.value)
    throw fieldError(
      '',
      `the editor holds at most ${questionsInEditor.value} questions: add the rest one by one`,
    );
  const body = {
    ...form.texts('title', 'description', 'category', 'difficulty'),
    tags: form
      .text('tags')
      .split(',')
      .filter((tag) => tag.trim() !== ''),
    timeLimit: numberIn(form.text('timeLimit'), 60),
    maxAttempts: numberIn(form.text('maxAttempts')),
    published,
    questions: keys.map((key) => questionBody(form, key)),
  };
  const whole = readForm(WholeQuiz, body, (issue) => {
    const [, at, path] = /^questions\[(\d+)\]\.(.*)$/.exec(issue.path) ?? [];
    if (path !== undefined) return questionIssue(form, keys[Number(at)] ?? '', { ...issue, path });
    const { [issue.path]: message } = RULES;
    if (message) return { ...issue, message };
    return {
      ...issue,
      path: issue.path.replace(/\[\d+\]$/, ''),
      message: issue.message.replace(/^tags\[(\d+)\]/, (_, index) => `tag ${Number(index) + 1}`),
    };
  });
  const ids = keys.map((key) => form.text(`${key}.id`));
  return { whole, replaced: { ids, removed: form.all('removed') } };
}

/** The form has minutes where a request has seconds. */
const RULES: Record<string, string> = {
  timeLimit: 'Enter minutes from 0.17 (10 seconds) to 1440 (a day), or leave it empty',
  maxAttempts: 'Enter a number from 1 to 100, or leave it empty',
};

/** The number that is typed, in units of a request; null for none, and NaN for anything else. */
function numberIn(typed: string, units = 1): number | null {
  const number = Number(typed.replace(',', '.')) * units;
  if (typed.trim() === '') return null;
  return units === 1 ? number : Math.round(number);
}

/** A quiz with all its questions on one page. @param of `quiz` null: a new one; `categories` are suggested */
export function QuizFormPage(of: {
  quiz: OwnedQuizDetail | null;
  form: Form;
  categories: string[];
}) {
  const { quiz, categories } = of;
  const hasQuestions = quiz === null || fitsEditor(quiz);
  const blank = questionValues('KEY', { difficulty: 'MEDIUM' });
  const form = (of.form.isBlank ? of.form.plus(editorValues(quiz)) : of.form).plus(blank);
  const keys = [...new Set(form.all('question'))].slice(0, questionsInEditor.value);
  const isDraft = quiz === null || quiz.state === 'draft';
  return (
    <Page
      title={quiz ? 'Edit quiz' : 'New quiz'}
      help={
        quiz
          ? `Editing does not change the quiz’s status or its link (${quiz.slug}).`
          : 'Write the questions here, then publish the quiz or keep it as a draft.'
      }
      back={quiz ? backTo(quiz) : BACK_TO_QUIZZES}
      head={<script defer src={assetPath('editorScript')}></script>}
    >
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
        <TextInput name="title" label="Title" autofocus={!quiz && of.form.isBlank} />
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
        <TextInput name="tags" label="Tags" help="Optional. Up to 20, separated by commas." />
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
        </div>
        {hasQuestions ? (
          <>
            <ol class="questions">
              {keys.map((key, at) => (
                <EditedQuestion name={key} number={at + 1} />
              ))}
            </ol>
            <template>
              <EditedQuestion name="KEY" number={0} />
            </template>
            <div>
              <RowButton then="add" text="Add a question" />
            </div>
          </>
        ) : (
          <p class="muted">This quiz is too large for one page. Edit its questions one by one.</p>
        )}
        <div class="buttons">
          <button class="btn" data-variant={isDraft ? 'outline' : undefined}>
            {isDraft ? 'Save as draft' : 'Save'}
          </button>
          {isDraft && hasQuestions && (
            <button class="btn" name="then" value="publish">
              Publish
            </button>
          )}
          <LinkButton
            look="ghost"
            href={(quiz ? backTo(quiz) : BACK_TO_QUIZZES).href}
            text="Cancel"
          />
        </div>
      </PostForm>
    </Page>
  );
}

function EditedQuestion({ name, number }: { name: string; number: number }) {
  const form = useForm();
  return (
    <li class="panel question-fields" data-key={name} aria-label={`Question ${number}`}>
      <div class="section-head">
        <h2 title="Drag to move">Question {number}</h2>
        <div class="buttons">
          <RowButton then={`up ${name}`} icon="up" label={`Move question ${number} up`} />
          <RowButton then={`down ${name}`} icon="down" label={`Move question ${number} down`} />
          <RowButton
            then={`copy ${name}`}
            text="Duplicate"
            label={`Duplicate question ${number}`}
          />
          <RowButton then={`remove ${name}`} text="Remove" label={`Remove question ${number}`} />
        </div>
      </div>
      <input type="hidden" name="question" value={name} />
      <input type="hidden" name={`${name}.id`} value={form.text(`${name}.id`)} />
      <div class="form wide">
        <QuestionFields name={name} />
      </div>
    </li>
  );
}
