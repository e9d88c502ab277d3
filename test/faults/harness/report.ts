import { writeFileSync } from 'node:fs';
import type { Count } from './audit';
import type { FaultCase } from './case';

type Result = Partial<Count> & { note?: string };
type Named = Pick<FaultCase, 'broken' | 'when'>;

interface Row extends Named {
  queue: string;
  verdict: 'ok' | 'FAILED' | 'skipped';
  result: Result;
}

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

  /** The table of docs/reliability.md, in the order of the matrix. */
  writeMarkdown(file: string): void {
    const head =
      '| broken | when | queue | events | POSTs | duplicates | lost | |\n|---|---|---|---:|---:|---:|---:|---|';
    const rows = [...this.rows]
      .sort((a, b) => `${a.broken} ${a.when}`.localeCompare(`${b.broken} ${b.when}`))
      .map(({ broken, when, queue, verdict, result }) => {
        const { events = '', posts = '', duplicates = '', note = '' } = result;
        const lost = verdict === 'ok' ? 'none' : verdict;
        return `| ${[broken, when, queue, events, posts, duplicates, lost, note].join(' | ')} |`;
      });
    writeFileSync(file, `${[head, ...rows].join('\n')}\n`);
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
