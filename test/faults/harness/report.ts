import { readFileSync, writeFileSync } from 'node:fs';
import type { Count } from './audit';
import type { FaultCase } from './case';

type Result = Partial<Count> & { note?: string };
type Named = Pick<FaultCase, 'broken' | 'when'>;

interface Row extends Named {
  queue: string;
  verdict: 'ok' | 'FAILED' | 'skipped';
  result: Result;
}

const QUEUES: Record<string, string> = { postgres: 'PostgreSQL', redis: 'Redis' };
const BEGIN = '<!-- results -->';
const END = '<!-- end of results -->';

/** A line for each row as it ends, and the sum. */
export class Report {
  private readonly rows: Row[] = [];

  constructor(private readonly out: NodeJS.WritableStream) {
    this.out.write(
      `\n${line('', 'queue', 'what was broken, when', 'events', 'POSTs', 'twice', 'seconds')}\n`,
    );
  }

  get passes(): number {
    return this.count('ok');
  }

  get failures(): number {
    return this.count('FAILED');
  }

  passed(it: Named, queue: string, result: Result, milliseconds: number): void {
    this.add({ ...it, queue, verdict: 'ok', result }, milliseconds);
  }

  failed(it: Named, queue: string, error: unknown, milliseconds: number): void {
    const note = error instanceof Error ? error.message : String(error);
    this.add({ ...it, queue, verdict: 'FAILED', result: { note } }, milliseconds);
  }

  skipped(it: Named, queue: string, note: string): void {
    this.add({ ...it, queue, verdict: 'skipped', result: { note } }, 0);
  }

  end(): void {
    const skipped = this.count('skipped');
    const tail = skipped > 0 ? `, ${skipped} skipped` : '';
    this.out.write(`\n${this.passes} passed, ${this.failures} failed${tail}\n`);
  }

  /**
   * Puts the results of this run into a page, between its two marks, in the order in which the rows are planned. A run
   * with a failure or without Redis leaves the page as it is: the failure may be none of these rows, and the page would
   * lose those of Redis.
   */
  writeInto(file: string, plan: readonly Named[]): void {
    if (this.failures + this.count('skipped') > 0) {
      const why = this.failures > 0 ? 'failed' : 'was skipped';
      this.out.write(`\n${file} is not written: a row ${why}.\n`);
      return;
    }
    const page = readFileSync(file, 'utf8');
    const from = page.indexOf(BEGIN) + BEGIN.length;
    const to = page.indexOf(END);
    if (from < BEGIN.length || to < from) throw new Error(`${file} has no marks for the results.`);
    writeFileSync(file, `${page.slice(0, from)}\n\n${this.table(plan)}\n\n${page.slice(to)}`);
  }

  private table(plan: readonly Named[]): string {
    const lines = plan.flatMap(({ broken, when }) => {
      const found = this.rows
        .filter((row) => row.broken === broken && row.when === when)
        .sort((a, b) => a.queue.localeCompare(b.queue));
      const cells = found.map((row) => [
        broken,
        when,
        QUEUES[row.queue] ?? row.queue,
        row.result.events ?? '',
        row.result.posts ?? '',
        row.result.duplicates ?? '',
        row.verdict === 'ok' ? 'none' : row.verdict,
        row.result.note ?? '',
      ]);
      return cells.map((row) => `| ${row.join(' | ')} |`);
    });
    return [
      '| broken | when | queue | events | POSTs | twice | lost | |',
      '|---|---|---|---:|---:|---:|---|---|',
      ...lines,
    ].join('\n');
  }

  private add(row: Row, milliseconds: number): void {
    this.rows.push(row);
    const { broken, when, queue, verdict, result } = row;
    const { events = '', posts = '', duplicates = '', note } = result;
    const time = (milliseconds / 1000).toFixed(1);
    const name = `${broken}: ${when}`;
    this.out.write(`${line(verdict, queue, name, events, posts, duplicates, time)}\n`);
    if (note) this.out.write(`${' '.repeat(18)}${note}\n`);
  }

  private count(verdict: Row['verdict']): number {
    return this.rows.filter((row) => row.verdict === verdict).length;
  }
}

function line(
  verdict: string,
  queue: string,
  name: string,
  ...numbers: (string | number)[]
): string {
  const columns = numbers.map((it) => String(it).padStart(8)).join('');
  return `${verdict.padEnd(8)}${queue.padEnd(10)}${name.padEnd(66)}${columns}`;
}
