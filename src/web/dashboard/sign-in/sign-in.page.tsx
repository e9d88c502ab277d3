import type { ComponentChildren } from 'preact';
import { PASSWORD_MIN } from '../../../access/sessions/credentials.rules';
import { FormErrors, TextField } from '../../components/fields';
import { Plain } from '../../components/document';
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
        <Credentials form={form} />
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

/** E-mail address and password of an account to be: for the sign-up and for the set-up. */
export function NewAccountPage({
  form,
  title,
  help,
  action,
  button,
  children,
}: {
  form: Form;
  title: string;
  help: string;
  action: string;
  button: string;
  children?: ComponentChildren;
}) {
  return (
    <Plain title={title} help={help}>
      <form method="post" action={action} class="form">
        <FormErrors form={form} />
        {children}
        <Credentials form={form} isNew />
        <button class="btn">{button}</button>
      </form>
      <p class="foot">
        Already have an account?{' '}
        <a class="link" href="/dashboard/sign-in">
          Sign in
        </a>
      </p>
    </Plain>
  );
}

/** @param isNew the password is chosen here: browsers offer one, and the rule is shown */
function Credentials({ form, isNew = false }: { form: Form; isNew?: boolean }) {
  return (
    <>
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
        autocomplete={isNew ? 'new-password' : 'current-password'}
        help={
          isNew ? `At least ${PASSWORD_MIN} characters. Several words make a good one.` : undefined
        }
        required
      />
    </>
  );
}
