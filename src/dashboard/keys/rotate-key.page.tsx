import type { ApiKey } from '../../access/api-key.entity';
import { FormFaults, SelectField } from '../kit/fields';
import { Page } from '../kit/page';
import type { Form } from '../web/form';
import { OVERLAPS } from './key-choices';
import { BACK_TO_KEYS } from './new-key.page';

export function RotateKeyPage({ stored, form }: { stored: ApiKey; form: Form }) {
  return (
    <Page
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
      back={BACK_TO_KEYS}
    >
      <form method="post" action={`/dashboard/keys/${stored.id}/rotate`} class="form">
        <FormFaults form={form} />
        <SelectField
          form={form}
          name="overlap"
          label="The old key works on"
          options={OVERLAPS.options}
          help="Long enough to put the new key wherever the old one is."
        />
        <div class="buttons">
          <button class="btn">Rotate key</button>
          <a class="btn" data-variant="ghost" href="/dashboard/keys">
            Cancel
          </a>
        </div>
      </form>
    </Page>
  );
}
