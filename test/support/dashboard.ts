import { decodeHTML } from 'entities';
import request, { type Test } from 'supertest';
import { SessionsService } from '../../src/access/sessions/sessions.service';
import type { Service, TestAccount } from './service';

/** The words of a page, without its tags, as a browser shows them. */
export const textOf = (html: string): string =>
  decodeHTML(html.replace(/<[^>]*>/g, ' ')).replace(/\s+/g, ' ');

/** A browser without scripts, signed in as an account: paths below /dashboard. */
export interface Window {
  open(path: string): Test;
  /** Sends a form of a page of ours. */
  send(path: string, fields?: Record<string, string | string[]>): Test;
  /** Sends a file as its script does. */
  upload(path: string, bytes: Buffer): Test;
}

export async function signIn(
  service: Service,
  { accountId }: Pick<TestAccount, 'accountId'>,
): Promise<Window> {
  const token = await service.app
    .get(SessionsService)
    .start(accountId, { userAgent: 'Firefox/130 Linux', address: '127.0.0.1' });
  if (!token) throw new Error(`The account ${accountId} is disabled or deleted.`);
  const as = (test: Test) => test.set('Cookie', `quiz_session=${token}`);
  return {
    open: (path) => as(request(service.url).get(`/dashboard${path}`)),
    send: (path, fields = {}) =>
      as(request(service.url).post(`/dashboard${path}`))
        .set('Sec-Fetch-Site', 'same-origin')
        .type('form')
        .send(fields),
    upload: (path, bytes) =>
      as(request(service.url).post(`/dashboard${path}`))
        .set({ 'Sec-Fetch-Site': 'same-origin', Accept: 'application/json' })
        .type('application/octet-stream')
        .send(bytes),
  };
}
