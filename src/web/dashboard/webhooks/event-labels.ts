import type { EventName } from '../../../events/event-map';

/** What each event means, in a line. */
export const EVENT_LABELS: Record<EventName, string> = {
  'quiz.created': 'A quiz was created.',
  'quiz.published': 'A quiz became public: published and approved. Once per quiz.',
  'attempt.submitted': 'A player submitted an attempt.',
  'quiz.completed': 'A player finished a quiz: every question is answered.',
  'leaderboard.updated': 'The visible top ten of a quiz changed.',
  'delivery.failed': 'A delivery to another endpoint failed: no further attempt follows.',
  'endpoint.disabled': 'The service disabled another endpoint.',
};

/** Of the event that people send themselves to try an endpoint. It cannot be subscribed to. */
export const TEST_EVENT = 'webhook.test';
