/**
 * Domain events that are also sent as webhooks. Names and fields are those of the specification, part 6; a payload is
 * the `data` of the webhook as it is sent.
 */
export interface EventMap {
  /** A new quiz exists. */
  'quiz.created': { quiz_id: string; title: string; category: string | null; created_by: string };
  /** A quiz has become publicly accessible for the first time. */
  'quiz.published': { quiz_id: string; title: string; published_by: string };
  /** A quiz has changed: its fields or its questions. */
  'quiz.updated': { quiz_id: string; title: string; updated_at: string };
  /** A quiz has been deleted, with its questions. */
  'quiz.deleted': { quiz_id: string; title: string; deleted_at: string };
  /** An administrator has rejected a quiz; `reason` is what the owner reads. */
  'quiz.rejected': { quiz_id: string; title: string; reason: string; rejected_at: string };
  /** Attempts at a quiz were scored again with the present key; `changed` of them have another score. */
  'quiz.regraded': {
    quiz_id: string;
    title: string;
    attempts: number;
    changed: number;
    regraded_at: string;
  };
  /** An attempt has been submitted, finished or not. */
  'attempt.submitted': { attempt_id: string; quiz_id: string; user_id: string; score: number };
  /** A player has finished a quiz: every question is answered. `time_spent` in seconds. */
  'quiz.completed': {
    quiz_id: string;
    user_id: string;
    score: number;
    time_spent: number;
    total_questions: number;
    completed_at: string;
  };
  /** The visible top ten of a quiz has changed. */
  'leaderboard.updated': { quiz_id: string; top_scores: TopScore[]; updated_at: string };
  /** A delivery to another endpoint of the account has failed: no further automatic attempt is made. */
  'delivery.failed': {
    delivery_id: string;
    event_id: string;
    event: string;
    endpoint_id: string;
    attempts: number;
    http_status: number | null;
    error: string | null;
    failed_at: string;
  };
  /** The service has disabled another endpoint of the account. */
  'endpoint.disabled': { endpoint_id: string; reason: DisabledReason; disabled_at: string };
}

/**
 * `failing`: every attempt failed for five days. `gone`: it responded 410. `right_withdrawn`: it received the events of
 * all accounts, and its owner was disabled or is no longer an administrator.
 */
export const DISABLED_REASONS = ['failing', 'gone', 'right_withdrawn'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

/** `score` is the number of correct answers, `time_spent` in seconds. */
export interface TopScore {
  rank: number;
  user_id: string;
  score: number;
  time_spent: number;
}

export type EventName = keyof EventMap;

/**
 * Domain events that only listeners inside the service receive (`OnDomainEvent`). An event is here because a module
 * has to react to another one; one without a listener is removed.
 */
export interface InternalEventMap {
  /** An administrator has disabled an account: its keys and sessions end, its quizzes are hidden. */
  'account.disabled': { at: Date };
  /** An administrator has enabled a disabled account. */
  'account.enabled': { at: Date };
  /** An account is no longer an administrator's. */
  'account.demoted': { at: Date };
  /** An administrator has put an account on another plan, by the name that its user reads. */
  'account.plan_changed': { plan: string };
  /** An administrator has declined the plan that the account asked for. */
  'account.plan_declined': { plan: string };
  /** An administrator has decided about a quiz. */
  'quiz.reviewed': {
    quizId: string;
    title: string;
    approved: boolean;
    reason: string | null;
    /** The administrator's account. */
    reviewedBy: string;
  };
  /** Submitted attempts count as plays of their quiz. */
  'quiz.played': { quizId: string; attemptIds: string[] };
  /** The analysis doubts the key of a question: players choose another answer. */
  'question.doubted': {
    quizId: string;
    title: string;
    position: number;
    players: number;
    chosen: number;
    answer: string;
    keyed: number;
    keyedAnswer: string;
  };
  /** A player says that something is wrong with a question, and why. */
  'question.reported': { quizId: string; title: string; position: number; reason: string };
  /** The worker has scored the attempts at a quiz again, or says why it could not. */
  'regrade.ended': {
    quizId: string;
    title: string;
    attempts: number;
    changed: number;
    refused: string | null;
  };
  /** An import has ended by itself, with or without an error. */
  'import.ended': {
    importId: string;
    filename: string;
    state: string;
    error: string | null;
    imported: number;
    errors: number;
  };
  /** A delivery to an endpoint failed after its last attempt, or the service has disabled the endpoint. */
  'endpoint.unhealthy': {
    endpointId: string;
    host: string;
    /** Why it is disabled, as its owner reads it. */
    disabledBecause: string | null;
  };
}

/** The vocabulary of domain events: the only thing that modules share for them. */
export type DomainEventMap = EventMap & InternalEventMap;

export type DomainEventName = keyof DomainEventMap;

/** An event of an account, which owns what has changed. */
export type DomainEvent<Names extends DomainEventName = DomainEventName> = {
  [Name in Names]: { name: Name; accountId: string; data: DomainEventMap[Name] };
}[Names];

/** Every event that can be subscribed to. An endpoint receives those that it lists, so a new type reaches nobody unasked. */
export const EVENT_NAMES = Object.keys({
  'quiz.created': true,
  'quiz.published': true,
  'attempt.submitted': true,
  'quiz.completed': true,
  'leaderboard.updated': true,
  'quiz.updated': true,
  'quiz.deleted': true,
  'quiz.rejected': true,
  'quiz.regraded': true,
  'delivery.failed': true,
  'endpoint.disabled': true,
} satisfies Record<EventName, true>) as EventName[];

export function isEventName(text: string): text is EventName {
  return (EVENT_NAMES as readonly string[]).includes(text);
}

/** The events whose data have one of these fields. */
type EventWith<Field extends string> = {
  [Name in EventName]: Extract<keyof EventMap[Name], Field> extends never ? never : Name;
}[EventName];

/** Events about an endpoint. That endpoint never receives them. */
export const ENDPOINT_EVENTS: readonly string[] = Object.keys({
  'delivery.failed': true,
  'endpoint.disabled': true,
} satisfies Record<EventWith<'endpoint_id'>, true>);

/** Events that name players, as those of a deleted account are renamed in stored events. */
export const PLAYER_EVENTS: readonly string[] = Object.keys({
  'attempt.submitted': true,
  'quiz.completed': true,
  'leaderboard.updated': true,
} satisfies Record<EventWith<'user_id' | 'top_scores'>, true>);
