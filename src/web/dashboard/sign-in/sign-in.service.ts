import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Account } from '../../../access/accounts/account.entity';
import { SignInsService } from '../../../access/sessions/sign-ins.service';
import { SessionsService } from '../../../access/sessions/sessions.service';
import { Config } from '../../../platform/config/config';
import { deviceCookie, sessionCookie } from '../../http/cookies';

/** The moment of signing in: after a password, after a sign-up, after the set-up. */
@Injectable()
export class SignIn {
  constructor(
    private readonly sessions: SessionsService,
    private readonly signIns: SignInsService,
    private readonly config: Config,
  ) {}

  /** @throws TooManyAttempts, Invalid */
  async with(
    credentials: { email: string; password: string },
    request: Request,
    response: Response,
  ): Promise<void> {
    const device = deviceCookie.read(request, this.config);
    const token = await this.signIns.signIn(credentials, browserOf(request), device);
    await this.remember(token, credentials.email, request, response);
  }

  /** With an account that was made a moment ago. */
  async as(account: Account, request: Request, response: Response): Promise<void> {
    const token = await this.sessions.start(account.id, browserOf(request));
    if (token) await this.remember(token, account.email, request, response);
  }

  /** Always a new session, and the end of the one that the browser had: nobody can prepare one for others. */
  private async remember(
    token: string,
    email: string,
    request: Request,
    response: Response,
  ): Promise<void> {
    const { viewer } = request;
    if (viewer) await this.sessions.endIfOpen(viewer.accountId, viewer.sessionId);
    sessionCookie.set(response, this.config, token);
    const device = deviceCookie.read(request, this.config);
    if (this.signIns.deviceOf(device, email) === null)
      deviceCookie.set(response, this.config, this.signIns.issueDevice(email));
  }
}

const browserOf = (request: Request) => ({
  userAgent: request.get('user-agent') ?? '',
  address: request.ip ?? '',
});
