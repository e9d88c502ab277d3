import { SelectField, TextField } from '../../components/fields';
import type { Form } from '../../http/form';
import { LIFETIMES } from './key-choices';
import { KeyFormPage } from './key-form.page';

export function NewKeyPage({ form }: { form: Form }) {
  return (
    <KeyFormPage
      title="New API key"
      help="One for each program that uses the service: then one can be revoked without the others."
      form={form}
      button="Create key"
    >
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
    </KeyFormPage>
  );
}
