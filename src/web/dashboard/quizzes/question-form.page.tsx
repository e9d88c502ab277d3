import { QuestionInput } from '../../../authoring/questions/batch-import.request';
import type { OwnedQuestion, OwnedQuiz } from '../../../catalog/quizzes/owned-quizzes.service';
import { SelectField, VersionField } from '../../components/fields';
import { FormPage } from '../../components/page';
import { assetPath } from '../../http/assets';
import { readForm, type Form } from '../../http/form';
import { QuestionFields } from './question-fields';
import { questionBody, questionIssue, questionValues } from './question-form';
import { backTo } from './quiz-labels';

/** The key of the form's only question. */
const KEY = 'q';

/** The form's input; empty rows are left out. @throws Invalid */
export const readQuestion = (form: Form): QuestionInput =>
  readForm(QuestionInput, questionBody(form, KEY), (issue) => questionIssue(form, KEY, issue));

/**
 * A question by itself, for a correction or for a quiz that is too large for the editor.
 * @param of `question` null: a new one, which begins as a copy of `like`
 */
export function QuestionFormPage(of: {
  quiz: OwnedQuiz;
  question: OwnedQuestion | null;
  like?: OwnedQuestion | null;
  form: Form;
  /** To which it can be moved. */
  quizzes?: OwnedQuiz[];
}) {
  const { quiz, question, like, form, quizzes = [] } = of;
  const others = quizzes.filter(({ id }) => id !== quiz.id);
  const at = `/dashboard/quizzes/${quiz.id}/questions`;
  const initial = { ...(question ?? like), difficulty: (question ?? like ?? quiz).difficulty };
  return (
    <FormPage
      title={question ? `Edit question ${question.position}` : 'New question'}
      help={question ? undefined : `This will be question ${quiz.questionCount + 1}.`}
      back={backTo(quiz)}
      head={<script defer src={assetPath('editorScript')}></script>}
      form={
        form.isBlank
          ? form.plus({
              ...questionValues(KEY, initial),
              version: question?.version ?? '',
              focus: `${KEY}.text`,
            })
          : form
      }
      action={question ? `${at}/${question.id}/edit` : at}
      class="form wide"
      button={question ? 'Save' : 'Add question'}
      also={
        !question && (
          <button class="btn" data-variant="outline" name="then" value="another">
            Add, and write another
          </button>
        )
      }
    >
      {question && <VersionField version={question.version} />}
      {/* Enter presses a form's first button, so the first one must save. */}
      <button class="sr-only" tabIndex={-1} aria-hidden="true">
        Save
      </button>
      <div class="form wide question-fields">
        <QuestionFields name={KEY} />
        {others.length > 0 && (
          <SelectField
            name="quiz"
            label="Quiz"
            help="Choose another quiz to move the question to its end."
            options={[quiz, ...others].map(({ id, title }) => ({ value: id, label: title }))}
          />
        )}
      </div>
    </FormPage>
  );
}
