import type { NextFunction, Request, Response } from 'express';
import { Overloaded } from '../../errors/domain-errors';
import { LIMITS } from '../../limits/limits';
import { isHealth } from '../../text/places.rules';

/** Milliseconds between two looks at the event loop. */
const LOOK_EVERY = 50;

/**
 * Refuses requests while the event loop is late, before they begin: what waits behind them then waits less. One
 * long turn of the loop by itself refuses nothing unless it is four times too long; it may be a single expensive
 * request, and the next turn is on time.
 */
export function shedLoad(lag: number = LIMITS.load.eventLoopLag.value) {
  let turnBegan = performance.now();
  let wasLate = false;
  setInterval(() => {
    const now = performance.now();
    wasLate = now - turnBegan > lag;
    turnBegan = now;
  }, LOOK_EVERY).unref();
  return (request: Request, _: Response, next: NextFunction): void => {
    const turn = performance.now() - turnBegan;
    const isOverloaded = turn > lag && (wasLate || turn > 4 * lag);
    next(isOverloaded && !isHealth(request.path) ? new Overloaded() : undefined);
  };
}
