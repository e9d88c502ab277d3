import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Report } from './report';

const planned = { broken: 'kill relay', when: 'idle' };
const EMPTY = 'before\n<!-- results -->\n<!-- end of results -->\nafter\n';

let folder: string;
let page: string;
let report: Report;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fault-report-'));
  page = join(folder, 'page.md');
  writeFileSync(page, EMPTY);
  report = new Report(new PassThrough().resume());
  report.passed(planned, 'redis', { events: 7 }, 0);
});
afterEach(() => rmSync(folder, { recursive: true }));

test('the planned rows of a run of the fault matrix without failures are written into the page', () => {
  report.writeInto(page, [planned]);
  const written = readFileSync(page, 'utf8');
  expect(written).toContain('| kill relay | idle | Redis | 7 |  |  | none |  |');
  expect(written).toMatch(/^before\n[^]*\nafter\n$/);
});

test('a failure that is no planned row leaves the page of the fault matrix as it is', () => {
  report.failed(
    { broken: 'after the rows of relay', when: 'nothing more is sent' },
    'redis',
    '',
    0,
  );
  report.writeInto(page, [planned]);
  expect(readFileSync(page, 'utf8')).toBe(EMPTY);
});
