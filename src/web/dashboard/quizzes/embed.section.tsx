import type { OwnedQuiz } from '../../../catalog/quizzes/owned-quizzes.service';
import { CopyText } from '../../components/button';
import { PostForm, TextField } from '../../components/fields';
import { Link } from '../../components/format';
import { Section } from '../../components/section';
import type { Form } from '../../http/form';
import { usePage } from '../../http/page-context';
import { embedCode } from '../../player/place';

/** How a public quiz is shown in the pages of other sites. @param origins that may show it in a frame */
export function EmbedSection(of: {
  quiz: OwnedQuiz;
  origins: readonly string[];
  form: Form;
  at: string;
}) {
  const { quiz, origins, form, at } = of;
  const { baseUrl } = usePage();
  const code = embedCode(baseUrl, quiz);
  return (
    <Section title="Embed">
      <p>
        Paste these lines into any web page. The element sends events and takes your colours:{' '}
        <Link to="/docs/guides/embedding">Embedding</Link>.
      </p>
      <CopyText text={code.element} label="Element" />
      <p class="after">Where scripts are not allowed, use a frame:</p>
      <CopyText text={code.frame} label="Frame" />
      <PostForm form={form} action={`${at}/embed`} class="form after">
        <TextField
          name="origins"
          rows={2}
          label="Websites that may use frames"
          initial={origins.join('\n')}
          placeholder="https://www.example.com"
          help="For all your quizzes, one origin per line. * is any website; empty is none."
        />
        <div class="buttons">
          <button class="btn" data-variant="outline">
            Save
          </button>
        </div>
      </PostForm>
    </Section>
  );
}
