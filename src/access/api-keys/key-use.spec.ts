import type { DataSource } from 'typeorm';
import { KeyUse } from './key-use';

describe('the last uses of keys', () => {
  /** What was written: each time the keys with the time of their last use. */
  let writes: { ids: string[]; times: Date[] }[];
  let use: KeyUse;
  const database = {
    query: (_: string, [ids, times]: [string[], Date[]]) => {
      writes.push({ ids, times });
      return Promise.resolve([]);
    },
  } as unknown as DataSource;

  beforeEach(() => {
    jest.useFakeTimers();
    writes = [];
    use = new KeyUse(database);
  });
  afterEach(() => jest.useRealTimers());

  it('the last use of a key is written within 20 seconds, and not once for each request', () => {
    for (let request = 0; request < 600; request++) {
      use.note(request % 2 ? 'odd' : 'even', new Date());
      jest.advanceTimersByTime(100);
    }
    expect(writes.length).toBeGreaterThanOrEqual(1);
    expect(writes.length).toBeLessThanOrEqual(3);
    const last = new Date();
    use.note('odd', last);
    jest.advanceTimersByTime(20_000);
    const { ids, times } = writes.at(-1) ?? { ids: [], times: [] };
    expect(times[ids.indexOf('odd')]).toEqual(last);
  });

  it('the last uses of keys are written once, and an idle process writes nothing', () => {
    use.note('once', new Date());
    jest.advanceTimersByTime(3_600_000);
    expect(writes).toHaveLength(1);
    expect(jest.getTimerCount()).toBe(0);
  });
});
