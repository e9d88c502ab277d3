// Preloaded: the wall clock of the process is ahead by CLOCK_AHEAD_MS (negative: behind), and each SIGUSR2 steps it by
// CLOCK_STEP_MS. The monotonic clock stays as it is, as on a machine whose time is set.
'use strict';
const Real = Date;
let ahead = Number(process.env.CLOCK_AHEAD_MS ?? 0);
process.on('SIGUSR2', () => (ahead += Number(process.env.CLOCK_STEP_MS ?? 0)));
globalThis.Date = class Date extends Real {
  constructor(...given) {
    if (given.length > 0) super(...given);
    else super(Real.now() + ahead);
  }
  static now() {
    return Real.now() + ahead;
  }
};
