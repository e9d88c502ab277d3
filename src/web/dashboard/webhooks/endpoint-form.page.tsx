import { EVENT_NAMES } from '../../../events/event-map';
import type { EndpointView } from '../../../webhooks/endpoints/endpoint.view';
import { CheckboxList, FormErrors, TextField } from '../../components/fields';
import { Page } from '../../components/page';
import type { Form } from '../../http/form';
import { usePage } from '../../http/page-context';
import { shortUrl } from './endpoint-state';
import { EVENT_LABELS } from './delivery-labels';

export const BACK_TO_WEBHOOKS = { href: '/dashboard/webhooks', label: 'Webhooks' };

/** Where an endpoint's own pages lead back to. */
export const backTo = ({ id, url }: Pick<EndpointView, 'id' | 'url'>) => ({
  href: `/dashboard/webhooks/${id}`,
  label: shortUrl(url),
});

export function NewEndpointPage({ form }: { form: Form }) {
  return (
    <Page
      title="Add endpoint"
      help="It receives the events that happen from then on."
      back={BACK_TO_WEBHOOKS}
    >
      <Settings form={form} action="/dashboard/webhooks" button="Add endpoint" />
    </Page>
  );
}

export function EditEndpointPage({ form, endpoint }: { form: Form; endpoint: EndpointView }) {
  return (
    <Page
      title="Edit endpoint"
      help="The new URL is used for all future attempts, including retries of past events."
      back={backTo(endpoint)}
    >
      <Settings
        form={form}
        action={`/dashboard/webhooks/${endpoint.id}/edit`}
        button="Save"
        endpoint={endpoint}
      />
    </Page>
  );
}

function Settings({
  form,
  action,
  button,
  endpoint,
}: {
  form: Form;
  action: string;
  button: string;
  endpoint?: EndpointView;
}) {
  const { viewer } = usePage();
  return (
    <form method="post" action={action} class="form">
      <FormErrors form={form} />
      <TextField
        form={form}
        name="url"
        label="URL"
        // No type="url": the service's own sentence says more than the browser's.
        initial={endpoint?.url}
        placeholder="https://hooks.example.com/quiz-events"
        help="A public https URL. We send every event as a POST request."
        autocomplete="off"
        autofocus={!endpoint}
      />
      <CheckboxList
        form={form}
        name="events"
        label="Events"
        initial={endpoint?.events}
        options={EVENT_NAMES.map((name) => ({
          value: name,
          label: name,
          help: EVENT_LABELS[name],
        }))}
      />
      {viewer?.isAdmin && (
        <CheckboxList
          form={form}
          name="allAccounts"
          label="Whose events"
          initial={endpoint?.allAccounts ? ['yes'] : []}
          options={[
            {
              value: 'yes',
              label: 'Of all accounts',
              help: 'For administrators. Otherwise it receives those of your own quizzes.',
            },
          ]}
        />
      )}
      <div class="buttons">
        <button class="btn">{button}</button>
        <a
          class="btn"
          data-variant="ghost"
          href={endpoint ? `/dashboard/webhooks/${endpoint.id}` : '/dashboard/webhooks'}
        >
          Cancel
        </a>
      </div>
    </form>
  );
}
