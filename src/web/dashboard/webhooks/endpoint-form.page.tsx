import { EVENT_NAMES, type EventName } from '../../../events/event-map';
import type { EndpointView } from '../../../webhooks/endpoints/endpoint.entity';
import { CheckboxList, TextField } from '../../components/fields';
import { FormPage } from '../../components/page';
import type { Form } from '../../http/form';
import { usePage } from '../../http/page-context';
import { backTo } from './endpoint-state';

const AT = '/dashboard/webhooks';

export const BACK_TO_WEBHOOKS = { href: AT, label: 'Webhooks' };

export function EventList({ events }: { events: EventName[] }) {
  return (
    <ul class="mono">
      {events.map((name) => (
        <li>{name}</li>
      ))}
    </ul>
  );
}

/** What each event means, in a line. */
const EVENT_LABELS: Record<EventName, string> = {
  'quiz.created': 'A quiz was created.',
  'quiz.published': 'A quiz became public: published and approved. Once per quiz.',
  'attempt.submitted': 'A player submitted an attempt.',
  'quiz.completed': 'A player finished a quiz: every question is answered.',
  'leaderboard.updated': 'The visible top ten of a quiz changed.',
  'quiz.updated': 'Optional: the fields or the questions of a quiz changed.',
  'quiz.deleted': 'Optional: a quiz was deleted.',
  'quiz.rejected': 'Optional: an administrator rejected a quiz.',
  'delivery.failed': 'A delivery to another endpoint failed: no further attempt follows.',
  'endpoint.disabled': 'The service disabled another endpoint.',
};

const ALL_ACCOUNTS = {
  value: 'yes',
  label: 'Of all accounts',
  help: 'For administrators. Otherwise it receives those of your own quizzes.',
};

/** @param of `endpoint` null: a new one */
export function EndpointFormPage(of: { endpoint: EndpointView | null; form: Form }) {
  const { endpoint, form } = of;
  const { viewer } = usePage();
  return (
    <FormPage
      title={endpoint ? 'Edit endpoint' : 'Add endpoint'}
      help={
        endpoint
          ? 'The new URL is used for all future attempts, including retries of past events.'
          : 'It receives the events that happen from then on.'
      }
      back={endpoint ? backTo(endpoint) : BACK_TO_WEBHOOKS}
      form={form}
      action={endpoint ? `${AT}/${endpoint.id}/edit` : AT}
      button={endpoint ? 'Save' : 'Add endpoint'}
    >
      <TextField
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
          name="allAccounts"
          label="Whose events"
          initial={endpoint?.allAccounts ? ['yes'] : []}
          options={[ALL_ACCOUNTS]}
        />
      )}
    </FormPage>
  );
}
