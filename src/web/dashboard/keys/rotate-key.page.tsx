import type { ApiKey } from '../../../access/api-keys/api-key.entity';
import { SelectField } from '../../components/fields';
import type { Form } from '../../http/form';
import { OVERLAPS } from './key-choices';
import { KeyFormPage } from './key-form.page';

export function RotateKeyPage({ stored, form }: { stored: ApiKey; form: Form }) {
  return (
    <KeyFormPage
      title={`Rotate “${stored.name}”`}
      help={
        <>
          A new key takes the place of{' '}
          <span class="mono">
            {stored.prefix}…{stored.lastFour}
          </span>
          . The old one can work on meanwhile.
        </>
      }
      action={`/${stored.id}/rotate`}
      form={form}
      button="Rotate key"
    >
      <SelectField
        form={form}
        name="overlap"
        label="The old key works on"
        options={OVERLAPS.options}
        help="Long enough to put the new key wherever the old one is."
      />
    </KeyFormPage>
  );
}
