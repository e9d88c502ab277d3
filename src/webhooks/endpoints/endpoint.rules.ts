import { isIP } from 'node:net';
import { parse as parseAddress } from 'ipaddr.js';
import { EVENT_NAMES, type EventName, isEventName } from '../../events/event-map';
import { Invalid, type Issue } from '../../platform/errors/domain-errors';
import { parseUrl } from '../../platform/text/url.rules';

/** Which endpoints are allowed besides `https` URLs on the public internet. Both are refused in production. */
export interface TargetAccess {
  /** `WEBHOOK_ALLOW_INSECURE`, for development and tests: http, any port, local names and private addresses. */
  readonly allowInsecure: boolean;
  /** In development: http, https and any port on this machine (`isLoopbackHost`), and nothing else private. */
  readonly allowLoopback?: boolean;
}

interface Settings {
  url?: string;
  events?: EventName[];
}

/**
 * The settings of an endpoint in normal form, and all errors (part 6, subscription).
 * @param input the new settings; absent ones are not validated
 */
export function readSettings(
  input: { url?: string; events?: readonly string[] },
  access: TargetAccess,
): { checked: Settings; errors: Issue[] } {
  const errors: Issue[] = [];
  const checked: Settings = {};
  if (input.url !== undefined) {
    const check = checkEndpointUrl(input.url, access);
    if (check.ok) checked.url = check.url.href;
    else errors.push({ path: 'url', message: check.message, code: check.rule });
  }
  if (input.events !== undefined) {
    const names = [...new Set(input.events.map((name) => name.trim()))];
    const choice = `choose from ${EVENT_NAMES.join(', ')}`;
    for (const name of names.filter((name) => !isEventName(name)))
      errors.push({
        path: 'events',
        message: `events must not hold "${name}": ${choice}`,
        code: 'choice',
      });
    if (names.length === 0)
      errors.push({
        path: 'events',
        message: `events must hold at least 1 event type: ${choice}`,
        code: 'too_few',
      });
    checked.events = names.filter(isEventName);
  }
  return { checked, errors };
}

/** @throws Invalid with all errors */
export function checkSettings(...input: Parameters<typeof readSettings>): Settings {
  const { checked, errors } = readSettings(...input);
  const [first, ...others] = errors;
  if (first) throw new Invalid('The endpoint', [first, ...others]);
  return checked;
}

/** What the dashboard and quizctl take for every event type. */
export const ALL_EVENTS = 'all';

/** Those that are named; every type there is now if `all` is among them. */
export const eventsNamed = (names: readonly string[]): readonly string[] =>
  names.some((name) => name.trim() === ALL_EVENTS) ? EVENT_NAMES : names;

/** In characters. */
export const MAX_URL_LENGTH = 2048;

const SWITCH = 'WEBHOOK_ALLOW_INSECURE=true allows it in development.';

/** Public by its block, but every virtual machine in Azure reaches its own host with it. */
const AZURE_HOST = '168.63.129.16';

/** Names that never lead to the public internet: RFC 6761, 6762, 8375 and common local habits. */
const LOCAL_NAME =
  /\.(localhost|localdomain|local|internal|intranet|private|corp|home|lan|home\.arpa|test|invalid|example|onion)$/;

/** By the rule that a refused URL broke. */
const MESSAGES = {
  malformed: 'The URL is not a valid absolute URL such as https://hooks.example.com/quiz-events.',
  too_long: `The URL is longer than ${MAX_URL_LENGTH} characters: use a shorter one.`,
  scheme: `The URL must start with https://. For http, ${SWITCH}`,
  user_info: 'The URL must not contain a user name or password: remove what stands before the @.',
  port: `The URL must use port 443. For any other port, ${SWITCH}`,
  host_name: `The host name belongs to a local network: use a host on the public internet. For local hosts, ${SWITCH}`,
  address: `The host is not a public internet address: use one that is. For local and private addresses, ${SWITCH}`,
};

const THIS_MACHINE = 'localhost, 127.0.0.1 or [::1]';

/** Instead of those above where this machine is allowed. */
const MESSAGES_WITH_LOOPBACK: Partial<typeof MESSAGES> = {
  scheme: `The URL must start with https://, or be an http URL of this machine: ${THIS_MACHINE}. For http to other hosts, ${SWITCH}`,
  port: `The URL must use port 443; other ports are for this machine: ${THIS_MACHINE}. For any other port, ${SWITCH}`,
  host_name: `The host name belongs to a local network. For this machine, use ${THIS_MACHINE}. For other local hosts, ${SWITCH}`,
  address: `The host is not a public internet address. For this machine, use ${THIS_MACHINE}. For other private addresses, ${SWITCH}`,
};
type UrlRule = keyof typeof MESSAGES;

/** A URL that can receive deliveries, or the rule it broke with a sentence for its owner. */
type UrlCheck =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly rule: UrlRule; readonly message: string };

/**
 * Validates the URL of a webhook endpoint (part 6, subscription: an HTTPS endpoint). The same check runs when an
 * endpoint is configured, tested and delivered to. It makes no network call: `guardedLookup` checks what a host name
 * resolves to when connecting. The returned URL is in normal form: no fragment, no trailing dot on the host, and
 * every notation of an IP address (`0x7f.1`, `2130706433`, full-width dots) folded to the plain one before it is
 * checked.
 */
export function checkEndpointUrl(text: string, access: TargetAccess): UrlCheck {
  const { allowInsecure, allowLoopback = false } = access;
  const refused = (rule: UrlRule): UrlCheck => {
    const message = (allowLoopback && MESSAGES_WITH_LOOPBACK[rule]) || MESSAGES[rule];
    return { ok: false, rule, message };
  };
  const trimmed = text.trim();
  if (trimmed.length > MAX_URL_LENGTH) return refused('too_long');
  // The URL parser drops tabs and line breaks: the checked URL would differ from the written one.
  const url = /[\u0000-\u0020\u007f]/.test(trimmed) ? null : parseUrl(trimmed);
  if (!url) return refused('malformed');

  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  const isAllowed = allowInsecure || (allowLoopback && isLoopbackHost(url.hostname));
  const schemes = isAllowed ? ['https:', 'http:'] : ['https:'];
  if (!schemes.includes(url.protocol)) return refused('scheme');
  if (url.username || url.password) return refused('user_info');

  url.hash = '';
  if (url.hostname === '' || url.hostname.endsWith('.')) return refused('malformed');
  if (url.href.length > MAX_URL_LENGTH) return refused('too_long');
  if (isAllowed) return { ok: true, url };

  const host = withoutBrackets(url.hostname);
  if (isIP(host) !== 0 && !isPublicAddress(host)) return refused('address');
  // A name without a dot can only be found by the search list of our own network.
  if (isIP(host) === 0 && (!host.includes('.') || LOCAL_NAME.test(host)))
    return refused('host_name');
  if (url.port !== '') return refused('port');
  return { ok: true, url };
}

/**
 * Whether a host can only be this machine: the name `localhost` itself, or an address that `isLoopbackAddress` knows.
 * Every other name is refused even if it resolves to this machine, since its name servers could resolve it otherwise
 * a moment later.
 * @param host as the URL parser returns it, in any case without a trailing dot
 */
export function isLoopbackHost(host: string): boolean {
  return host.toLowerCase() === LOCALHOST || isLoopbackAddress(withoutBrackets(host));
}

export const LOCALHOST = 'localhost';

/** 127.0.0.0/8 and ::1. Not `0.0.0.0` and `::`, and not the IPv6 addresses that contain an IPv4 one. */
export function isLoopbackAddress(address: string): boolean {
  return isIP(address) !== 0 && parseAddress(address).range() === 'loopback';
}

const withoutBrackets = (host: string) => host.replace(/^\[(.*)\]$/, '$1');

/**
 * Whether packets to this IP address can only go to the public internet: global unicast, outside every
 * special-purpose block. Addresses that contain another address (IPv4-mapped and -compatible, 6to4, Teredo, NAT64)
 * are refused whatever they contain.
 * @param address IPv4 or IPv6 text from a resolver or socket; anything else is not public
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address === AZURE_HOST) return false;
  const parsed = parseAddress(address);
  if (parsed.range() !== 'unicast') return false;
  // ipaddr.js calls everything it does not know unicast, even ::127.0.0.1; IANA has assigned 2000::/3 only.
  return parsed.kind() === 'ipv4' || ((parsed.toByteArray()[0] ?? 0) & 0xe0) === 0x20;
}

/** The reason of an endpoint that its owner has disabled; all others are set by the service. */
export const DISABLED_BY_OWNER = 'Its owner disabled it.';

interface EndpointState {
  disabledAt: Date | null;
  disabledReason: string | null;
  failingSince: Date | null;
}

/** It fails, or the service has disabled it. What its owner did to it needs no attention. */
export function needsAttention({
  disabledAt,
  disabledReason,
  failingSince,
}: EndpointState): boolean {
  return disabledAt ? disabledReason !== DISABLED_BY_OWNER : failingSince !== null;
}

/** For whom something is looked up: an account sees its own endpoints only, an operator all of them. */
export type Owner = { readonly accountId: string } | 'operator';

/** The account to look in; null for all of them. */
export function accountOf(owner: Owner): string | null {
  return owner === 'operator' ? null : owner.accountId;
}
