import { FormFaults, SelectField, TextField } from '../kit/fields';
import { Page } from '../kit/page';
import type { Form } from '../web/form';
import { LIFETIMES } from './key-choices';

export const BACK_TO_KEYS = { href: '/dashboard/keys', label: 'API keys' };

export function NewKeyPage({ form }: { form: Form }) {
  return (
    <Page
      title="New API key"
      help="One for each program that uses the service: then one can be revoked without the others."
      back={BACK_TO_KEYS}
    >
      <form method="post" action="/dashboard/keys" class="form">
        <FormFaults form={form} />
        <TextField
          form={form}
          name="name"
          label="Name"
          help="What the key is for, such as “Website” or “Nightly import”."
          autocomplete="off"
          autofocus
        />
        <SelectField
          form={form}
          name="lifetime"
          label="Expires"
          options={LIFETIMES.options}
          help="From then on requests with it are refused."
        />
        <div class="buttons">
          <button class="btn">Create key</button>
          <a class="btn" data-variant="ghost" href="/dashboard/keys">
            Cancel
          </a>
        </div>
      </form>
    </Page>
  );
}
