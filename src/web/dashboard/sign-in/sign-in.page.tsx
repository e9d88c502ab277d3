import { NO_LINK } from '../../../access/accounts/registration.service';
import { PASSWORD_MIN } from '../../../access/sessions/credentials.rules';
import { LinkButton } from '../../components/button';
import { Plain } from '../../components/document';
import { PostForm, TextField } from '../../components/fields';
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
      <PostForm form={form} action="/dashboard/sign-in">
        <input type="hidden" name="next" value={form.text('next')} />
        <Credentials />
        <button class="btn">Sign in</button>
      </PostForm>
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

export function SignUpPage({ form }: { form: Form }) {
  return (
    <Plain title="Sign up" help="With a Free account you can read every public quiz.">
      <PostForm form={form} action="/dashboard/sign-up">
        <Credentials isNew />
        <button class="btn">Create account</button>
      </PostForm>
      <HasAccount />
    </Plain>
  );
}

export function SetUpPage({ form }: { form: Form }) {
  return (
    <Plain title="Welcome" help="Create the first administrator of this service.">
      <PostForm form={form} action="/dashboard/set-up">
        <input type="hidden" name="token" value={form.text('token')} />
        <Credentials isNew />
        <button class="btn">Create administrator</button>
      </PostForm>
      <HasAccount />
    </Plain>
  );
}

export function NoLinkPage() {
  return (
    <Plain title="This one-time link does not work">
      <p>{NO_LINK}</p>
      <p>
        <LinkButton look="outline" href="/dashboard/sign-in" text="Sign in" />
      </p>
    </Plain>
  );
}

function HasAccount() {
  return (
    <p class="foot">
      Already have an account?{' '}
      <a class="link" href="/dashboard/sign-in">
        Sign in
      </a>
    </p>
  );
}

/** @param isNew the password is chosen here: browsers offer one, and the rule is shown */
function Credentials({ isNew = false }: { isNew?: boolean }) {
  return (
    <>
      <TextField
        name="email"
        label="E-mail address"
        type="email"
        autocomplete="username"
        required
      />
      <TextField
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
