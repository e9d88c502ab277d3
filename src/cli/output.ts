import { SingleBar } from 'cli-progress';
import { DomainError, type Issue } from '../platform/errors/domain-errors';
import { explain } from '../platform/process/explain';

/** One row of a table for people: column title to text. */
export type Row = Record<string, string | number | boolean | null>;

/** A stream that may be a terminal. */
export type Terminal = NodeJS.WritableStream & { isTTY?: boolean };

/** Where the tool writes its output: for people on a terminal, or as one JSON value for programs. */
export class Output {
  /** What the process exits with, unless the usage is invalid. */
  exitCode = 0;

  constructor(
    readonly json: boolean,
    readonly stdout: Terminal = process.stdout,
    readonly stderr: Terminal = process.stderr,
  ) {}

  /** The command's result: `value` for programs, `text` for people. */
  result(value: unknown, text: string): void {
    this.stdout.write(`${this.json ? JSON.stringify(value) : text}\n`);
  }

  /** The same for a list, as a table. */
  list(values: unknown[], rows: Row[], empty: string): void {
    this.result(values, rows.length === 0 ? empty : table(rows));
  }

  /** Progress messages; programs do not get them. */
  note(text: string): void {
    if (!this.json) this.stderr.write(`${text}\n`);
  }

  /** Runs a command; an exception is its failure. */
  async attempt(work: () => Promise<void> | void): Promise<void> {
    try {
      await work();
    } catch (error) {
      this.failure(error);
    }
  }

  failure(error: unknown): void {
    this.exitCode = 1;
    const message = error instanceof DomainError ? error.message : explain(error);
    const details = error instanceof DomainError ? error.details : undefined;
    if (this.json)
      this.stdout.write(
        `${JSON.stringify({ success: false, error: message, ...(details && { details }) })}\n`,
      );
    else this.stderr.write(`${plainLines([message, ...errorLines(details)].join('\n'))}\n`);
  }

  usage(message: string): void {
    if (this.json) this.stdout.write(`${JSON.stringify({ success: false, error: message })}\n`);
  }
}

/** Several errors, one per line; a single one is in the message already. */
function errorLines(details: Issue[] = []): string[] {
  return details.length > 1 ? details.map(({ path, message }) => `  ${path}: ${message}`) : [];
}

/** Texts that other people wrote, on one line: they must not move the cursor of the terminal or start a line. */
export const plain = (text: string): string => text.replace(/\p{Cc}/gu, ' ');

/** The same for a text of several lines. */
export const plainLines = (text: string): string => text.split('\n').map(plain).join('\n');

/** Columns padded to their widest cell, titles in capitals. */
function table(rows: Row[]): string {
  const columns = Object.keys(rows[0] ?? {});
  const lines = [
    columns.map((column) => column.toUpperCase()),
    ...rows.map((row) => columns.map((column) => plain(String(row[column] ?? '–')))),
  ];
  const widths = columns.map((_, column) =>
    Math.max(...lines.map((cells) => cells[column]?.length ?? 0)),
  );
  return lines
    .map((cells) =>
      cells
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** A time for people: UTC to the second. */
export const at = (date: Date | null): string | null =>
  date && `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** A progress bar on a terminal; nothing elsewhere. */
export class ProgressBar {
  private bar: SingleBar | undefined;

  constructor(private readonly output: Output) {}

  /** @param part of the whole, from 0 to 1 */
  show(part: number, what: string): void {
    if (this.output.json || !this.output.stderr.isTTY) return;
    if (!this.bar) {
      this.bar = new SingleBar({
        format: '{bar} {percentage}% | {what}',
        stream: this.output.stderr,
        barCompleteChar: '█',
        barIncompleteChar: '░',
        hideCursor: true,
        clearOnComplete: true,
      });
      this.bar.start(1_000, 0, { what });
    }
    this.bar.update(Math.min(1_000, Math.round(part * 1_000)), { what });
  }

  stop(): void {
    this.bar?.stop();
  }
}
