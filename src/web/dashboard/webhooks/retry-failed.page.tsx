import type { EndpointView } from '../../../webhooks/endpoints/endpoint.view';
import { FormErrors, SelectField, TextField } from '../../components/fields';
import { Page } from '../../components/page';
import type { Form } from '../../http/form';
import { shortUrl } from './endpoint-status.rules';

export function RetryFailedPage({
  form,
  since,
  endpoints,
}: {
  form: Form;
  /** What is proposed. */
  since: Date;
  endpoints: EndpointView[];
}) {
  return (
    <Page
      title="Retry failed deliveries"
      help="After your side was down: everything that ended as failed is attempted once more."
      back={{ href: '/dashboard/webhooks/deliveries', label: 'Deliveries' }}
    >
      <form method="post" action="/dashboard/webhooks/deliveries/retry" class="form">
        <FormErrors form={form} />
        <TextField
          form={form}
          name="since"
          label="Failed since (UTC)"
          type="datetime-local"
          initial={since.toISOString().slice(0, 16)}
          required
          help="Test events are left out, and so is what was delivered meanwhile."
        />
        <SelectField
          form={form}
          name="endpoint"
          label="Endpoint"
          options={[
            { value: '', label: 'All that are enabled' },
            ...endpoints
              .filter(({ disabledAt }) => !disabledAt)
              .map(({ id, url }) => ({ value: id, label: shortUrl(url) })),
          ]}
        />
        <div class="buttons">
          <button class="btn">Retry</button>
          <a class="btn" data-variant="ghost" href="/dashboard/webhooks/deliveries">
            Cancel
          </a>
        </div>
      </form>
    </Page>
  );
}
