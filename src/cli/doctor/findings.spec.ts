import type { StatsFs } from 'node:fs';
import files from 'node:fs/promises';
import { diskFinding, freeSpaceFinding, memoryFindings, redisVersionFinding } from './findings';

const GIB = 2 ** 30;

describe('the disk of the embedded database', () => {
  it.each([
    [
      GIB / 10 - 1,
      'error',
      '102 MiB are free on the disk of ./data: the database is about to stop. Make room.',
    ],
    [
      GIB - 1,
      'warning',
      '1023 MiB are free on the disk of ./data: make room before the database stops.',
    ],
    [12.34 * GIB, 'good', '12.3 GiB are free on the disk of ./data.'],
  ])('the disk check with %d bytes free is a %s', (free, state, message) => {
    expect(freeSpaceFinding(free, './data')).toEqual({ check: 'disk', state, message });
  });

  it('the disk check measures what is free for the service on the disk of DATA_DIR', async () => {
    const disk = { bavail: 3 * 2 ** 18, bfree: 5 * 2 ** 18, blocks: 9 * 2 ** 18, bsize: 4_096 };
    const measure = jest.spyOn(files, 'statfs').mockResolvedValue(disk as StatsFs);
    expect((await diskFinding('./data')).message).toBe('3.0 GiB are free on the disk of ./data.');
    expect(measure).toHaveBeenCalledWith('./data');
    measure.mockRestore();
  });
});

it.each([
  ['4.0.14', 'error'],
  ['5.0.14', 'warning'],
  ['6.0.16', 'warning'],
  ['6.2.0', 'good'],
  ['7.0.0', 'good'],
])('the doctor reports Redis %s as %s', (version, state) => {
  expect(redisVersionFinding(version, 'localhost:6379', 1)).toMatchObject({
    check: 'queue',
    state,
  });
});

it('the doctor says of a full Redis whether it refuses or evicts jobs, and which setting comes first', () => {
  const findings = (used: number, policy: string) =>
    memoryFindings(used * 2 ** 20, 64 * 2 ** 20, policy).map((it) => `${it.state}: ${it.message}`);
  expect(findings(50, 'noeviction')).toEqual(['good: Redis evicts nothing.']);
  expect(findings(60, 'noeviction')).toEqual([
    'good: Redis evicts nothing.',
    'warning: Redis uses 60 of 64 MiB: when it is full, webhooks and imports wait. Raise maxmemory, or find out what fills it.',
  ]);
  expect(findings(50, 'allkeys-lru')).toEqual([
    'error: Redis evicts entries when it is full (allkeys-lru), and the queue may lose jobs: set maxmemory-policy noeviction.',
  ]);
  expect(findings(64, 'allkeys-lru')).toEqual([
    'error: Redis evicts entries when it is full (allkeys-lru), and the queue may lose jobs: make room first, then set maxmemory-policy noeviction.',
    'error: Redis uses 64 of 64 MiB and is full: it evicts jobs, and their webhooks and imports wait until a worker adds them again. Raise maxmemory, or find out what fills it, and only then set maxmemory-policy noeviction.',
  ]);
});

it('the doctor warns of a Redis that evicts only entries that expire, as jobs stay', () => {
  const findings = (used: number) =>
    memoryFindings(used, 100, 'volatile-ttl').map((it) => `${it.state}: ${it.message}`);
  expect(findings(10)).toEqual([
    'warning: Redis evicts entries that expire when it is full (volatile-ttl): jobs stay, but locks of running jobs and counters of rate limits may be lost: set maxmemory-policy noeviction.',
  ]);
  expect(findings(90)).toEqual([
    expect.stringMatching(
      /^warning: Redis evicts .+ may be lost: make room first, then set .+ noeviction\.$/,
    ),
    expect.stringMatching(
      /: when it is full, webhooks and imports wait\. Raise maxmemory, .+ then set maxmemory-policy noeviction\.$/,
    ),
  ]);
});
