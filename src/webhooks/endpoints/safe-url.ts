import { isIP } from 'node:net';
import { parse as parseAddress } from 'ipaddr.js';
import { parseUrl } from '../../platform/text/parse-url';

/** Which rule a refused URL broke. */
type EndpointUrlRule =
  'malformed' | 'too_long' | 'scheme' | 'user_info' | 'port' | 'host_name' | 'address';

/** A URL fit to receive deliveries, or the rule it broke with a sentence for its owner. */
export type EndpointUrlCheck =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly rule: EndpointUrlRule; readonly message: string };

const MAX_URL_LENGTH = 2048;

const SWITCH = 'WEBHOOK_ALLOW_INSECURE=true allows it in development.';

/** A public address by its block, but every virtual machine in Azure reaches the host of its own with it. */
const AZURE_HOST = '168.63.129.16';

/** Names that never lead to the public internet: RFC 6761, 6762, 8375 and common local habits. */
const LOCAL_SUFFIXES = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'home.arpa',
  'test',
  'invalid',
  'example',
  'onion',
];

const MESSAGES: Record<EndpointUrlRule, string> = {
  malformed: 'The URL is not a valid absolute URL such as https://hooks.example.com/quiz-events.',
  too_long: `The URL is longer than ${MAX_URL_LENGTH} characters.`,
  scheme: `The URL must start with https://. For http, ${SWITCH}`,
  user_info: 'The URL must not contain a user name or password.',
  port: `The URL must use port 443. For any other port, ${SWITCH}`,
  host_name: `The host name belongs to a local network. For local hosts, ${SWITCH}`,
  address: `The host is not a public internet address. For local and private addresses, ${SWITCH}`,
};

/**
 * Judges the URL of a webhook endpoint (part 6, subscription: an HTTPS endpoint). The same check runs
 * when an endpoint is configured, tested and delivered to. It makes no network call: what a host name
 * resolves to is judged by `guardedLookup` when connecting.
 *
 * The returned URL is in normal form: no fragment, no trailing dot on the host, and every notation of
 * an IP address (`0x7f.1`, `2130706433`, full-width dots) folded to the plain one before it is judged.
 *
 * @param options.allowInsecure development only: admits http, any port, local names and addresses
 */
export function checkEndpointUrl(
  text: string,
  { allowInsecure }: { allowInsecure: boolean },
): EndpointUrlCheck {
  const trimmed = text.trim();
  if (trimmed.length > MAX_URL_LENGTH) return refused('too_long');
  // The URL parser drops tabs and line breaks: what was judged would not be what was written.
  const url = /[\u0000-\u0020\u007f]/.test(trimmed) ? null : parseUrl(trimmed);
  if (!url) return refused('malformed');

  const isHttp = url.protocol === 'http:';
  if (url.protocol !== 'https:' && !isHttp) return refused('scheme');
  if (isHttp && !allowInsecure) return refused('scheme');
  if (url.username || url.password) return refused('user_info');

  url.hash = '';
  if (url.hostname.endsWith('.')) url.hostname = url.hostname.slice(0, -1);
  if (url.hostname === '' || url.hostname.endsWith('.')) return refused('malformed');
  if (url.href.length > MAX_URL_LENGTH) return refused('too_long');
  if (allowInsecure) return { ok: true, url };

  const address = hostAddress(url);
  if (address !== null && !isPublicAddress(address)) return refused('address');
  if (address === null && isLocalName(url.hostname)) return refused('host_name');
  if (url.port !== '') return refused('port');
  return { ok: true, url };
}

/**
 * Whether packets to this IP address leave for the public internet and go nowhere else: global
 * unicast, outside every special-purpose block. Addresses that carry another address inside
 * (IPv4-mapped and -compatible, 6to4, Teredo, NAT64) are refused whatever they carry.
 *
 * @param address IPv4 or IPv6 text as a resolver or socket gives it; anything else is not public
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address === AZURE_HOST) return false;
  const parsed = parseAddress(address);
  if (parsed.range() !== 'unicast') return false;
  // ipaddr.js calls everything it does not know unicast, ::127.0.0.1 too; IANA has given out 2000::/3 only.
  return parsed.kind() === 'ipv4' || ((parsed.toByteArray()[0] ?? 0) & 0xe0) === 0x20;
}

/** The IP address a URL names literally, without the brackets of IPv6; null for a host name. */
function hostAddress(url: URL): string | null {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  return isIP(host) === 0 ? null : host;
}

function isLocalName(hostname: string): boolean {
  // A name without a dot is found, if at all, by the search list of our own network.
  if (!hostname.includes('.')) return true;
  return LOCAL_SUFFIXES.some((suffix) => hostname.endsWith(`.${suffix}`));
}

function refused(rule: EndpointUrlRule): EndpointUrlCheck {
  return { ok: false, rule, message: MESSAGES[rule] };
}
