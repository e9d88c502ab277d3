/** How much of a receiver's answer is kept, in bytes. */
export const SNIPPET_BYTES = 4096;

/**
 * Turns the start of a receiver's answer into text that is safe to store and, escaped, to show
 * (part 6: failed deliveries can be viewed). Bad UTF-8 becomes U+FFFD; control characters other than
 * line feed and tab go (NUL breaks PostgreSQL text, escape sequences take over terminals), and so do
 * the marks that reverse the direction of what follows them.
 *
 * @param bytes only the first 4096 are read
 * @returns well-formed text of at most 4096 UTF-16 units; null when nothing is left
 */
export function receiverText(bytes: Uint8Array): string | null {
  const kept = bytes.subarray(0, SNIPPET_BYTES);
  // `stream` drops a character that the cap cut in two, where it would else end in U+FFFD. The decoder
  // yields no lone surrogates and never more units than bytes: nothing is left to cap or to fix.
  const text = new TextDecoder('utf-8').decode(kept, { stream: bytes.length >= SNIPPET_BYTES });
  return text.replace(/[^\P{Cc}\n\t]|\p{Bidi_Control}/gu, '') || null;
}

/** A receiver's header value if it is short printable ASCII, else null. */
export function receiverHeader(value: string | string[] | undefined): string | null {
  return typeof value === 'string' && /^[\x20-\x7e]{1,64}$/.test(value) ? value : null;
}
