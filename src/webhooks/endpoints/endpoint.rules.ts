import { EVENT_NAMES, isEventName, type EventName } from '../../events/event-map';
import { Invalid, type Issue } from '../../platform/errors/domain-errors';
import { checkEndpointUrl } from './safe-url';

/** Endpoints an account may have. */
export const MAX_ENDPOINTS = 20;

/**
 * The settings of an endpoint in normal form, all errors at once (part 6, subscription).
 * @param input what is to be set; what is absent is not judged
 * @throws Invalid
 */
export function checkSettings(
  input: { url?: string; events?: readonly string[] },
  options: { allowInsecure: boolean },
): { url?: string; events?: EventName[] } {
  const errors: Issue[] = [];
  const checked: { url?: string; events?: EventName[] } = {};
  if (input.url !== undefined) {
    const check = checkEndpointUrl(input.url, options);
    if (check.ok) checked.url = check.url.href;
    else errors.push({ path: 'url', message: check.message, code: check.rule });
  }
  if (input.events !== undefined) {
    const names = [...new Set(input.events.map((name) => name.trim()))];
    const known = names.filter(isEventName);
    const choice = `choose from ${EVENT_NAMES.join(', ')}`;
    for (const name of names.filter((name) => !isEventName(name)))
      errors.push({ path: 'events', message: `"${name}" is no event: ${choice}`, code: 'event' });
    if (names.length === 0)
      errors.push({ path: 'events', message: `at least one is needed: ${choice}`, code: 'count' });
    checked.events = known;
  }
  const [first, ...others] = errors;
  if (first) throw new Invalid('The endpoint', [first, ...others]);
  return checked;
}
