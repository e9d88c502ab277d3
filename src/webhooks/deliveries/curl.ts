import type { DeliveryDetail } from './deliveries.dto';

/**
 * A command for a POSIX shell that makes the delivery's request again, signed at the time of reading. It contains
 * signatures but no secret. Null if the endpoint's secret cannot be decrypted.
 */
export function curlOf({ url, body, headersNow }: DeliveryDetail): string | null {
  if (!headersNow) return null;
  const headers = Object.entries(headersNow).map(
    ([name, value]) => `-H ${quoted(`${name}: ${value}`)}`,
  );
  return [
    `curl -i --globoff -X POST ${quoted(url)}`,
    ...headers,
    `--data-raw ${quoted(body)}`,
  ].join(' \\\n  ');
}

/** Within single quotes a shell reads everything but the quote itself as it stands. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
