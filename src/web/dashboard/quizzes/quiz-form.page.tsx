import { CreateQuizRequest } from '../../../authoring/quizzes/create-quiz.request';
import type { OwnedQuiz } from '../../../catalog/quizzes/owned-quizzes.service';
import { optionsOf, SelectField, TextField, VersionField } from '../../components/fields';
import { FormPage } from '../../components/page';
import { readForm, type Form } from '../../http/form';
import { BACK_TO_QUIZZES, backTo, DIFFICULTY_LABELS } from './quiz-labels';

/** The form's input. Tags are one field here: an error in one of them is an error of the field. @throws Invalid */
export function readQuiz(form: Form): CreateQuizRequest {
  const body = {
    ...form.texts('title', 'description', 'category', 'difficulty'),
    tags: form
      .text('tags')
      .split(',')
      .filter((tag) => tag.trim() !== ''),
    published: form.text('published') === 'yes',
  };
  return readForm(CreateQuizRequest, body, ({ path, message, code }) => ({
    path: path.replace(/\[\d+\]$/, ''),
    message: message.replace(/^tags\[(\d+)\]/, (_, index) => `tag ${Number(index) + 1}`),
    code,
  }));
}

/** @param of `quiz` null: a new one; `categories` are suggested */
export function QuizFormPage(of: { quiz: OwnedQuiz | null; form: Form; categories: string[] }) {
  const { quiz, form, categories } = of;
  return (
    <FormPage
      title={quiz ? 'Edit quiz' : 'New quiz'}
      help={
        quiz
          ? `Editing does not change the quiz’s status or its link (${quiz.slug}).`
          : 'It begins as a draft that only you see. Questions come next.'
      }
      back={quiz ? backTo(quiz) : BACK_TO_QUIZZES}
      form={form}
      action={quiz ? `/dashboard/quizzes/${quiz.id}/edit` : '/dashboard/quizzes'}
      button={quiz ? 'Save' : 'Create quiz'}
    >
      {quiz && <VersionField version={quiz.version} />}
      <TextField name="title" label="Title" initial={quiz?.title} autofocus={!quiz} />
      <TextField
        name="description"
        label="Description"
        initial={quiz?.description ?? ''}
        help="Optional. What players read before they start."
        rows={3}
      />
      <TextField
        name="category"
        label="Category"
        initial={quiz?.category ?? ''}
        help={
          categories.length > 0
            ? `Pick a category, such as ${categories.slice(0, 3).join(', ')}, or type a new one.`
            : 'A name, or nothing.'
        }
        list="categories"
      />
      <datalist id="categories">
        {categories.map((name) => (
          <option value={name} />
        ))}
      </datalist>
      <SelectField
        name="difficulty"
        label="Difficulty"
        initial={quiz?.difficulty ?? 'MEDIUM'}
        options={optionsOf(DIFFICULTY_LABELS)}
      />
      <TextField
        name="tags"
        label="Tags"
        initial={quiz?.tags.join(', ')}
        help="Up to 20, separated by commas"
      />
    </FormPage>
  );
}
