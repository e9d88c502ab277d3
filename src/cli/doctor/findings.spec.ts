import { diskFinding, freeSpaceFinding } from './findings';

const GIB = 2 ** 30;

describe('the disk of the embedded database', () => {
  it.each([
    [
      GIB / 10 - 1,
      'error',
      '0.1 GiB are free on the disk of ./data: the database is about to stop. Make room.',
    ],
    [
      GIB - 1,
      'warning',
      '1.0 GiB are free on the disk of ./data: make room before the database stops.',
    ],
    [12.34 * GIB, 'good', '12.3 GiB are free on the disk of ./data.'],
  ])('the disk check with %d bytes free is a %s', (free, state, message) => {
    expect(freeSpaceFinding(free, './data')).toEqual({ check: 'disk', state, message });
  });

  it('the disk check measures the disk of DATA_DIR', async () => {
    expect((await diskFinding(__dirname)).message).toContain(
      `are free on the disk of ${__dirname}`,
    );
  });
});
