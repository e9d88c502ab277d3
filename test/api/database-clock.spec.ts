import { DatabaseClock } from '../../src/platform/clock';
import { createLogger } from '../../src/platform/observability/logger';
import { type Service, startService } from '../support/service';

const MINUTE = 60_000;
const MONTH = 31 * 86_400_000;
const RealDate = Date;
const systemTime = () => RealDate.now();

let service: Service;
const log: string[] = [];
const logger = createLogger('info', { write: (line) => void log.push(line) });
let clock: DatabaseClock | undefined;

beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.close());
afterEach(() => {
  clock?.onModuleDestroy();
  globalThis.Date = RealDate;
  jest.useRealTimers();
});

/** As if this machine's clock were set to another time: `Date.now` and `new Date` tell it. */
function skewBy(milliseconds: number): void {
  globalThis.Date = class extends RealDate {
    constructor(...given: [] | [number]) {
      super(given.length === 0 ? systemTime() + milliseconds : given[0]);
    }
    static override now = () => systemTime() + milliseconds;
  } as DateConstructor;
}

const farFromNow = (time: Date) => Math.abs(time.getTime() - systemTime());

it.each([
  ['ten minutes behind', -10 * MINUTE, '600 seconds behind'],
  ['a month ahead', MONTH, '2,678,400 seconds ahead of'],
])('a process whose clock is %s the database refuses to start', async (_, skew, words) => {
  skewBy(skew);
  await expect(DatabaseClock.start(service.database, logger)).rejects.toThrow(
    `This machine's clock is ${words} the database's. Synchronise both with a time server (NTP), then start again.`,
  );
});

it('with a clock that is three seconds off, the time is that of the database', async () => {
  skewBy(3_000);
  clock = await DatabaseClock.start(service.database, logger);
  expect(farFromNow(clock.now())).toBeLessThan(1_000);
  expect(Math.round(clock.skew / 1_000)).toBe(3);
});

it('a clock set a month ahead changes no timestamps and deletes nothing until it agrees with the database', async () => {
  jest.useFakeTimers({ doNotFake: [...NOT_FAKED] });
  clock = await DatabaseClock.start(service.database, logger);
  const aMinuteAgo = () => expect(Math.round(farFromNow(clock!.cutoff(MINUTE)) / 1_000)).toBe(60);
  aMinuteAgo();
  skewBy(MONTH);
  await measured(clock, false);
  expect(farFromNow(clock.now())).toBeLessThan(1_000);
  expect(clock.cutoff(MINUTE)).toEqual(new Date(0));
  expect(log.join('')).toContain('Nothing is deleted by age until they agree');
  globalThis.Date = RealDate;
  await measured(clock, true);
  aMinuteAgo();
  expect(log.join('')).toContain('the clocks agree again');
});

/** Everything but setInterval, by which the clock is measured again. */
const NOT_FAKED = [
  'Date',
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'clearImmediate',
  'setTimeout',
  'clearTimeout',
] as const;

async function measured(of: DatabaseClock, trusted: boolean): Promise<void> {
  jest.advanceTimersByTime(30_000);
  for (let tries = 0; tries < 500 && of.trusted !== trusted; tries++)
    await new Promise((resolve) => setTimeout(resolve, 10));
  expect(of.trusted).toBe(trusted);
}
