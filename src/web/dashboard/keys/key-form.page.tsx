import type { ComponentChildren } from 'preact';
import { FormErrors } from '../../components/fields';
import { Page } from '../../components/page';
import type { Form } from '../../http/form';

const AT = '/dashboard/keys';

export const BACK_TO_KEYS = { href: AT, label: 'API keys' };

/** The frame of the forms that make a key: a new one, or one in the place of another. */
export function KeyFormPage({
  title,
  help,
  action = '',
  form,
  button,
  children,
}: {
  title: string;
  help: ComponentChildren;
  /** Where it is posted to, below the keys. */
  action?: string;
  form: Form;
  button: string;
  children: ComponentChildren;
}) {
  return (
    <Page title={title} help={help} back={BACK_TO_KEYS}>
      <form method="post" action={AT + action} class="form">
        <FormErrors form={form} />
        {children}
        <div class="buttons">
          <button class="btn">{button}</button>
          <a class="btn" data-variant="ghost" href={AT}>
            Cancel
          </a>
        </div>
      </form>
    </Page>
  );
}
