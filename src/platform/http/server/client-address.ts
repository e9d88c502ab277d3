import { isIP } from 'node:net';
import { normalizeIp } from '@nestjs/throttler';
import ipaddr from 'ipaddr.js';

/** The whole address as people write it: `192.0.2.1`, `2001:db8::1`; `unknown` if there is none. */
export function addressText(address: string | undefined): string {
  return address && ipaddr.isValid(address) ? ipaddr.process(address).toString() : 'unknown';
}

/**
 * The address by which requests are counted: IPv4 as it is (also when written as ::ffff:a.b.c.d), IPv6 by
 * its /64, because one customer gets a whole /64 and can rotate through it.
 */
export function addressKey(address: string | undefined): string {
  return address !== undefined && isIP(address) ? normalizeIp(address) : 'unknown';
}
