import request, { type Response, type Test } from 'supertest';
import { ARGON2ID, PasswordsService } from '../../src/access/sessions/passwords.service';
import type { Service, TestAccount } from './service';

export const PASSWORD = 'correct horse battery';

/** What a password costs in production. In tests it is cheap, since they sign in hundreds of times. */
export const PRODUCTION_ARGON2ID = { ...ARGON2ID };
Object.assign(ARGON2ID, { memoryCost: 64, timeCost: 1 });

/** What a browser says of a form of our own page. */
const OWN_FORM = { 'Sec-Fetch-Site': 'same-origin' };

/** A browser without its eyes: keeps its cookie, sends forms, and follows nothing by itself. */
export class Visitor {
  /** `name=value` of the session, '' before the sign-in. */
  cookie = '';
  /** `name=value` by which the browser is known after a sign-in. */
  device = '';

  /** @param address where the visitor comes from, for a service behind one proxy */
  constructor(
    private readonly service: Service,
    private readonly address = '127.0.0.1',
  ) {}

  get(path: string): Test {
    return this.as(request(this.service.url).get(path));
  }

  private as(test: Test): Test {
    const cookies = [this.cookie, this.device].filter(Boolean).join('; ');
    return test.set('Cookie', cookies).set('X-Forwarded-For', this.address);
  }

  /** @param headers what the browser says about where the form comes from */
  post(path: string, fields: object = {}, headers: object = OWN_FORM): Test {
    return this.as(request(this.service.url).post(path))
      .set(headers as Record<string, string>)
      .type('form')
      .send(fields);
  }

  async signIn(email: string, password = PASSWORD, more: object = {}): Promise<Response> {
    const response = await this.post('/dashboard/sign-in', { email, password, ...more });
    this.cookie = cookieOf(response) ?? this.cookie;
    const [, device] = (response.headers['set-cookie'] ?? []) as unknown as string[];
    this.device = device?.split(';')[0] ?? this.device;
    return response;
  }
}

/** `name=value` of the cookie that an answer sets. */
export function cookieOf(response: Response): string | undefined {
  const [cookie] = (response.headers['set-cookie'] ?? []) as unknown as string[];
  return cookie?.split(';')[0];
}

/** An account with a password. */
export async function member(
  service: Service,
  ...of: Parameters<Service['account']>
): Promise<TestAccount> {
  const account = await service.account(...of);
  await service.app.get(PasswordsService).set(account.accountId, PASSWORD);
  return account;
}

/** An account and a visitor who is signed in to it. */
export async function signedIn(
  service: Service,
  ...of: Parameters<Service['account']>
): Promise<{ account: TestAccount; visitor: Visitor }> {
  const account = await member(service, ...of);
  const visitor = new Visitor(service);
  await visitor.signIn(account.email);
  return { account, visitor };
}

/** The words of a page, without its tags, in one line. */
export const wordsOf = ({ text }: Response): string =>
  text
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/** The value of a page's hidden field, '' without one. */
export const hidden = (html: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? '';
