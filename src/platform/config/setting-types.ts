import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { availableParallelism } from 'node:os';
import ipaddr from 'ipaddr.js';
import { DAY, HOUR, MINUTE } from '../durations';
import { parseUrl } from '../text/url.rules';

/** How one setting's text is read. A reader throws a `SettingError` whose message says what is expected. */
export interface Reader<T> {
  (text: string): T;
  /** The text as it may be shown to anybody; absent if it contains no secret. */
  withoutSecrets?: (text: string) => string;
}

export interface Setting<T> {
  read: Reader<T>;
  /** The text that is read when the setting is absent or empty; without it the value is null. */
  fallback: string | null;
  example: string;
  /** A sentence for `.env.example`, docs/configuration.md and `quizctl config print --json`. */
  about: string;
  /** Describes the behaviour while it is not set and has no fallback. */
  unset?: string;
  /** In `.env.example`: to be filled in, or not there, since Compose sets it itself or production refuses it. */
  envFile?: 'needed' | 'absent';
}

type Options = Pick<Setting<unknown>, 'envFile'>;

export const setting = <T>(
  reader: Reader<T>,
  fallback: string,
  example: string,
  about: string,
  options?: Options,
): Setting<T> => ({ read: reader, fallback, example, about, ...options });

export const optional = <T>(
  reader: Reader<T>,
  example: string,
  about: string,
  unset: string,
  options?: Options,
): Setting<T | null> => ({ read: reader, fallback: null, example, about, unset, ...options });

export class SettingError extends Error {}

const fail = (expected: string): never => {
  throw new SettingError(expected);
};

/**
 * A setting as given, or the content of the file that `<name>_FILE` names, as Docker and Kubernetes mount secrets.
 * @throws SettingError if both are given, or the file is empty or cannot be read
 */
export function settingText(env: NodeJS.ProcessEnv, name: string): string | undefined {
  const text = env[name]?.trim();
  const file = env[`${name}_FILE`]?.trim();
  if (!file) return text;
  if (text) throw new SettingError(`must not be set together with ${name}_FILE: remove one`);
  const content = contentOf(file, name).trim();
  // A secret that was not filled in. As absent it would, for example, leave the metrics without a token.
  return content || fail(`must not be empty in the file of ${name}_FILE=${file}`);
}

function contentOf(file: string, name: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    return fail(`cannot be read from ${name}_FILE=${file} (${code})`);
  }
}

/** What it reads gives access to other people's data or lets a reader forge it. */
const secret = <T>(reader: (text: string) => T): Reader<T> =>
  Object.assign(reader, { withoutSecrets: () => '(hidden)' });

const withPassword = <T>(reader: (text: string) => T): Reader<T> =>
  Object.assign(reader, {
    withoutSecrets: (text: string) => {
      const url = new URL(text);
      if (url.password) url.password = 'hidden';
      // PostgreSQL takes a password here, too.
      for (const key of [...url.searchParams.keys()])
        if (/passw|secret|key/i.test(key)) url.searchParams.set(key, 'hidden');
      return url.href;
    },
  });

export const text: Reader<string> = (value) => value;

/** A secret that is sent as a header: long enough, and nothing that a header cannot carry. */
export const token = secret((value) =>
  /^[\x21-\x7e]{16,256}$/.test(value)
    ? value
    : fail('must be 16 to 256 characters of ASCII without spaces'),
);

/** A port on this machine only, or an IP address and a port; 0 is a free port. */
export const listenAddress: Reader<{ host: string; port: number }> = (value) => {
  const [, host = '127.0.0.1', digits] = /^(?:\[?([\d.:a-f]+)\]?:)?(\d{1,5})$/i.exec(value) ?? [];
  return digits && Number(digits) <= 65_535 && isIP(host)
    ? { host, port: Number(digits) }
    : fail('must be a port, or an IP address and a port such as 0.0.0.0:9464');
};

/** A whole number from `min` to `max`. */
export const integer =
  (min: number, max: number): Reader<number> =>
  (value) => {
    const number = /^\d{1,15}$/.test(value) ? Number(value) : NaN;
    return number >= min && number <= max
      ? number
      : fail(`must be an integer from ${min} to ${max}`);
  };

/** A number of processes; `auto` is one for each core. */
export const processes: Reader<number> = (value) => {
  if (value === 'auto') return availableParallelism();
  const count = /^\d{1,3}$/.test(value) ? Number(value) : 0;
  return count >= 1 && count <= 128 ? count : fail('must be an integer from 1 to 128, or auto');
};

export const oneOf =
  <T extends string>(...choices: T[]): Reader<T> =>
  (value) =>
    choices.find((choice) => choice === value) ?? fail(`must be one of: ${choices.join(', ')}`);

/**
 * Any name for an environment that is not production, except names that are probably meant as production: with
 * `prod` read as a development environment, the service would run with test keys and an open sign-up.
 */
export const nodeEnv: Reader<string> = (value) =>
  value !== 'production' && /^(production|prod|prd|live)$/i.test(value)
    ? fail('must be written production where that is meant')
    : value;

export const flag: Reader<boolean> = (value) => oneOf('true', 'false')(value) === 'true';

/** An absolute URL of one of the given schemes, without a trailing slash. */
export const url = (...schemes: string[]) =>
  withPassword((value) => {
    const expected = `must be a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')} and names a host`;
    const parsed = parseUrl(value);
    if (!parsed) return fail(expected);
    if (!schemes.includes(parsed.protocol.slice(0, -1)) || !parsed.host) return fail(expected);
    let end = value.length;
    while (value.endsWith('/', end)) end--;
    return value.slice(0, end);
  });

/**
 * The URL of a server, which may carry a password. A password with an unencoded `/` would be read as a host, a port and
 * a path.
 */
export const serverUrl = (...schemes: string[]) =>
  withPassword((value) =>
    /:\/\/(?!(?:(?:[^/?#@%]|%[\da-f]{2})*@)?[^@]*$)/i.test(value)
      ? fail(
          'must have a password of letters and digits; percent-encode other characters (/ as %2F, @ as %40)',
        )
      : url(...schemes)(value),
  );

/** The URL of Redis. Its path is the number of a database: Redis would refuse anything else once it is connected. */
export const redisUrl = withPassword((value) => {
  const given = serverUrl('redis', 'rediss')(value);
  return /^(\/\d{0,4})?$/.test(new URL(given).pathname)
    ? given
    : fail('must end with the host and the port, or with the number of a database, such as /1');
});

/** The URL of a mail server. The user name is often an address: its `@` need not be encoded. */
export const mailServerUrl = (...schemes: string[]) =>
  withPassword((value) =>
    serverUrl(...schemes)(value.replace(/^(\w+:\/\/[^/?#@:]*)@(?=[^/?#@]*@)/, '$1%40')),
  );

/** The sender of e-mails: an address, or a name and the address in angle brackets. */
export const sender: Reader<string> = (value) =>
  /^(?:[^\s@<>]+@[^\s@<>,]+|[^<>\p{Cc}]*<[^\s@<>]+@[^\s@<>,]+>)$/u.test(value)
    ? value
    : fail('must be an e-mail address, or a name and an address in angle brackets');

/** A public URL to which paths are appended, written as browsers do: whether cookies are Secure depends on `https:`. */
export const publicUrl: Reader<string> = (value) => {
  const { origin, pathname, username, password, search, hash } = new URL(
    url('http', 'https')(value),
  );
  return username || password || search || hash
    ? fail('must have no user name, no query and no fragment')
    : origin + pathname.replace(/\/$/, '');
};

/** `host:port`; an IPv6 address is in brackets. */
export const hostAndPort: Reader<{ host: string; port: number }> = (value) => {
  const parsed = parseUrl(`redis://${value}`);
  return parsed?.port && parsed.host === value
    ? { host: parsed.hostname.replace(/^\[|\]$/g, ''), port: Number(parsed.port) }
    : fail('must be host:port, such as redis-1:26379');
};

/** One or more, separated by commas. */
export const several = <T>(one: Reader<T>): Reader<T[]> => {
  const each =
    <U>(of: (text: string) => U) =>
    (value: string) =>
      value.split(',').map((part) => of(part.trim()));
  const { withoutSecrets } = one;
  return Object.assign(
    each(one),
    withoutSecrets && { withoutSecrets: (value: string) => each(withoutSecrets)(value).join(',') },
  );
};

const UNITS = { ms: 1, s: 1_000, m: MINUTE, h: HOUR, d: DAY } as const;

/** A duration such as `500ms`, `30s`, `10m`, `1h` or `30d`, in milliseconds. */
export const duration =
  (longest: keyof typeof LONGEST): Reader<number> =>
  (value) => {
    const match = /^(\d{1,9})(ms|s|m|h|d)$/.exec(value.trim());
    const time = match ? Number(match[1]) * UNITS[match[2] as keyof typeof UNITS] : 0;
    return time > 0 && time <= LONGEST[longest]
      ? time
      : fail(`must be a duration above zero, at most ${longest}, with its unit: ms, s, m, h or d`);
  };

/** `1h` for what is given to a timer, which fires at once above 24 days; `365d` for what is stored. */
const LONGEST = { '1h': UNITS.h, '365d': 365 * UNITS.d };

/** Several durations, separated by commas, in milliseconds. */
export const durations: Reader<number[]> = several(duration('365d'));

/** 32 bytes, written as 64 hexadecimal digits or as base64. */
export const key32: Reader<Buffer> = (value) => {
  if (/^[0-9a-f]{64}$/i.test(value)) return Buffer.from(value, 'hex');
  if (/^[\w+/-]{43}=?$/.test(value)) return Buffer.from(value, 'base64');
  return fail('must be 32 bytes as base64 or as 64 hexadecimal digits');
};

/** The current key and, during a rotation, the previous one. */
export const encryptionKeys = secret((value) => {
  const keys = several(key32)(value);
  return keys.length <= 2
    ? keys
    : fail('must be one key, or two separated by a comma: the new one, then the old one');
});

/**
 * Which proxies may name the client: a number of hops or a list of addresses and networks.
 * `true` is refused: every client could then choose its own address, and so its own rate limit.
 */
export const trustedProxies: Reader<number | string[]> = (value) => {
  if (/^\d+$/.test(value)) return integer(0, MOST_HOPS)(value);
  const parts = value.split(',').map((part) => part.trim());
  if (!parts.every(isNetwork))
    return fail('must be a number of proxy hops, or addresses and networks separated by commas');
  return parts.some(isTooWide)
    ? fail(
        'must be the networks of your proxies only, at least /8 for IPv4 and /16 for IPv6: every client in them may choose its own address',
      )
    : parts;
};

/** Longer chains of proxies are a mistake: every hop too many lets clients choose their own address. */
const MOST_HOPS = 10;

function isTooWide(text: string): boolean {
  const [address = '', bits] = text.split('/');
  if (bits === undefined) return false;
  if (isIP(address) === 4) return Number(bits) < 8;
  // `::ffff:0:0/96` is all of IPv4.
  if (ipaddr.IPv6.parse(address).isIPv4MappedAddress()) return Number(bits) < 96 + 8;
  const isLocal = /^f[cd]/i.test(address);
  return Number(bits) < (isLocal ? 7 : 16);
}

function isNetwork(text: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(text)) return true;
  const [, address = '', bits] = /^([^/%]+)(?:\/([1-9]\d{0,2}))?$/.exec(text) ?? [];
  const version = isIP(address);
  return version !== 0 && Number(bits ?? 1) <= (version === 4 ? 32 : 128);
}
