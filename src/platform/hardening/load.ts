import type { Server } from 'node:http';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { Overloaded } from '../errors/domain-errors';
import { isApi, isHealth } from '../http/path.rules';
import { LIMITS } from '../limits/limits';

declare module 'express-serve-static-core' {
  interface Request {
    /** The error that refuses a request of the API once it has been counted, so that the response has the RateLimit headers. */
    refusal?: Overloaded;
  }
}

/** Milliseconds between two checks of the event loop. */
const LOOK_EVERY = 50;

/**
 * Refuses requests while the event loop is late, before they start, so that those already waiting wait less. A single
 * long turn of the loop refuses nothing unless it is four times too long: it may be one expensive request, and the
 * next turn is on time. Players in an attempt wait up to four times as long: a thousand who answer at the same moment
 * are one long turn.
 */
export function shedLoad(server: Server, lag: number = LIMITS.load.eventLoopLag.value) {
  let turnBegan = performance.now();
  let wasLate = false;
  const looks = setInterval(() => {
    const now = performance.now();
    wasLate = now - turnBegan > lag;
    turnBegan = now;
  }, LOOK_EVERY).unref();
  server.once('close', () => clearInterval(looks));
  return (request: Request, _: Response, next: NextFunction): void => {
    const turn = performance.now() - turnBegan;
    const allowed = isInAttempt(request.path) ? 4 * lag : lag;
    const isOverloaded = turn > allowed && (wasLate || turn > 4 * allowed);
    if (!isOverloaded || isHealth(request.path)) return next();
    if (!isApi(request.path)) return next(new Overloaded());
    request.refusal = new Overloaded();
    next();
  };
}

/** An attempt of the API, its start, or one of the player's pages. */
const isInAttempt = (path: string) =>
  /^\/(?:(?:api\/v1\/attempts|play|embed)\/[^/]+\/.|api\/v1\/quizzes\/[^/]+\/attempts)/.test(path);

/** Refuses what `shedLoad` has marked, once it is counted. @throws Overloaded */
@Injectable()
export class LoadGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { refusal } = context.switchToHttp().getRequest<Request>();
    if (refusal) throw refusal;
    return true;
  }
}
