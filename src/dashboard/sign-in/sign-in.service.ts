import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { SessionsService } from '../../access/sessions.service';
import { Config } from '../../platform/config/config';
import { setSessionCookie } from '../web/session-cookie';

/** The moment of signing in: after a password, after a sign-up, after the set-up. */
@Injectable()
export class SignIn {
  constructor(
    private readonly sessions: SessionsService,
    private readonly config: Config,
  ) {}

  /** Always a new session, and the end of the one that the browser had: nobody can prepare one for others. */
  async as(accountId: string, request: Request, response: Response): Promise<void> {
    const { viewer } = request;
    if (viewer) await this.sessions.end(viewer.accountId, viewer.sessionId);
    const token = await this.sessions.start(accountId, {
      userAgent: request.get('user-agent') ?? '',
      address: request.ip ?? '',
    });
    setSessionCookie(response, this.config, token);
  }
}
