import type { EntityManager } from 'typeorm';
import type { Logger } from '../../platform/observability/logger';
import { PlayCounter } from './play-counter.service';

it('plays that cannot be counted are logged once for each outage of the database, and so is its end', async () => {
  let isAway = true;
  const database = {
    query: () => (isAway ? Promise.reject(new Error('away')) : Promise.resolve([{ left: false }])),
  };
  const [error, info] = [jest.fn(), jest.fn()];
  const plays = new PlayCounter(
    database as unknown as EntityManager,
    { error, info } as unknown as Logger,
  );
  for (const logged of [1, 2]) {
    isAway = true;
    for (let times = 0; times < 3; times++) await plays.count();
    expect(error).toHaveBeenCalledTimes(logged);
    isAway = false;
    await plays.count();
    expect(info).toHaveBeenCalledTimes(logged);
  }
  await plays.onModuleDestroy();
});
