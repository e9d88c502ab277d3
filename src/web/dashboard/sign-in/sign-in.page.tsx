import { FormErrors, TextField } from '../../components/fields';
import { Plain } from '../../components/plain';
import type { Form } from '../../http/form';

export function SignInPage({
  form,
  signUp,
  setUpNeeded = false,
}: {
  form: Form;
  signUp: boolean;
  setUpNeeded?: boolean;
}) {
  return (
    <Plain title="Sign in" help="Keys, webhooks and quizzes of your account.">
      {setUpNeeded && (
        <p class="notice">
          There is no administrator yet. Open the one-time link that “npm start” has printed, or
          make one with quizctl.
        </p>
      )}
      <form method="post" action="/dashboard/sign-in" class="form">
        <FormErrors form={form} />
        <input type="hidden" name="next" value={form.text('next')} />
        <TextField
          form={form}
          name="email"
          label="E-mail address"
          type="email"
          autocomplete="username"
          required
        />
        <TextField
          form={form}
          name="password"
          label="Password"
          type="password"
          autocomplete="current-password"
          required
        />
        <button class="btn">Sign in</button>
      </form>
      {signUp && (
        <p class="foot">
          No account yet?{' '}
          <a class="link" href="/dashboard/sign-up">
            Sign up
          </a>
        </p>
      )}
    </Plain>
  );
}
