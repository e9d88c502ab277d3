import { domainToASCII } from 'node:url';
import { fold, tidy } from '../../platform/text/text.rules';

/** Characters of a local part that no mail server quotes (RFC 5322, dot-atom). */
const LOCAL = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i;
/** Letters, marks and digits of any script: invisible and directional characters are none of them. */
const DOMAIN = /^[\p{L}\p{M}\p{N}-]+(?:\.[\p{L}\p{M}\p{N}-]+)*$/u;
const ASCII_DOMAIN =
  /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/;

/**
 * An e-mail address as it is stored, or null where it is none: an ASCII local part, and a domain in its ASCII form
 * (IDNA). Two addresses that look alike then read differently: `аdmin@…` is refused, `ada@gооgle.example` is shown
 * as `ada@xn--ggle-55da.example`.
 */
export function emailAddress(text: string): string | null {
  const tidied = tidy(text);
  const at = tidied.lastIndexOf('@');
  const [local, domain] = [tidied.slice(0, at), tidied.slice(at + 1)];
  if (at < 1 || tidied.length > 320 || local.length > 64) return null;
  if (!LOCAL.test(local) || !DOMAIN.test(domain)) return null;
  const ascii = /^[\x20-\x7e]+$/.test(domain) ? domain : domainToASCII(domain);
  return ascii.length <= 253 && ASCII_DOMAIN.test(ascii.toLowerCase()) ? `${local}@${ascii}` : null;
}

/** What "the same address" means; a text that is no address is compared as it is. */
export const emailKey = (text: string): string => fold(emailAddress(text) ?? text);
