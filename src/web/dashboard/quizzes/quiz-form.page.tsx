import type { OwnedQuiz } from '../../../catalog/quizzes/owned-quizzes.service';
import {
  FormErrors,
  SelectField,
  TextArea,
  TextField,
  VersionField,
} from '../../components/fields';
import { Page } from '../../components/page';
import type { Form } from '../../http/form';
import { DIFFICULTY_LABELS, optionsOf } from './quiz-labels';

export const BACK_TO_QUIZZES = { href: '/dashboard/quizzes', label: 'My quizzes' };

/** Where a quiz's own pages lead back to. */
export const backTo = ({ id, title }: Pick<OwnedQuiz, 'id' | 'title'>) => ({
  href: `/dashboard/quizzes/${id}`,
  label: title,
});

export function NewQuizPage({ form, categories }: { form: Form; categories: string[] }) {
  return (
    <Page
      title="New quiz"
      help="It begins as a draft that only you see. Questions come next."
      back={BACK_TO_QUIZZES}
    >
      <form method="post" action="/dashboard/quizzes" class="form">
        <FormErrors form={form} />
        <Fields form={form} categories={categories} autofocus />
        <div class="buttons">
          <button class="btn">Create quiz</button>
          <a class="btn" data-variant="ghost" href="/dashboard/quizzes">
            Cancel
          </a>
        </div>
      </form>
    </Page>
  );
}

export function EditQuizPage({
  quiz,
  form,
  categories,
}: {
  quiz: OwnedQuiz;
  form: Form;
  categories: string[];
}) {
  const at = `/dashboard/quizzes/${quiz.id}`;
  return (
    <Page
      title="Edit quiz"
      help={`Editing does not change the quiz’s status or its link (${quiz.slug}).`}
      back={backTo(quiz)}
    >
      <form method="post" action={`${at}/edit`} class="form">
        <FormErrors form={form} />
        <VersionField form={form} version={quiz.version} />
        <Fields form={form} categories={categories} />
        <div class="buttons">
          <button class="btn">Save</button>
          <a class="btn" data-variant="ghost" href={at}>
            Cancel
          </a>
        </div>
      </form>
    </Page>
  );
}

function Fields({
  form,
  categories,
  autofocus,
}: {
  form: Form;
  categories: string[];
  autofocus?: boolean;
}) {
  return (
    <>
      <TextField form={form} name="title" label="Title" autocomplete="off" autofocus={autofocus} />
      <TextArea
        form={form}
        name="description"
        label="Description"
        help="What players read before they begin. May be empty."
      />
      <TextField
        form={form}
        name="category"
        label="Category"
        help={
          categories.length > 0
            ? `Pick a category, such as ${categories.slice(0, 3).join(', ')}, or type a new one.`
            : 'A name, or nothing.'
        }
        autocomplete="off"
        list="categories"
      />
      <datalist id="categories">
        {categories.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <SelectField
        form={form}
        name="difficulty"
        label="Difficulty"
        initial="MEDIUM"
        options={optionsOf(DIFFICULTY_LABELS)}
      />
      <TextField
        form={form}
        name="tags"
        label="Tags"
        help="Up to 20, separated by commas"
        autocomplete="off"
      />
    </>
  );
}
