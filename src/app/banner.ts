import { styleText } from 'node:util';
import type { Config } from '../platform/config/config';
import type { OpenDatabase } from '../platform/database/open-database';

/** What `npm start` says when everything runs. */
export class Banner {
  constructor(
    private readonly config: Config,
    private readonly database: OpenDatabase,
    private readonly port: number,
    private readonly content: {
      added: { quizzes: number; questions: number } | null;
      demoKey: string | null;
      /** Of the link that makes the first administrator; null when there is one. */
      setUpToken: string | null;
    },
    /** Requests are not shown. */
    private readonly calm: boolean,
  ) {}

  print(out: NodeJS.WriteStream): void {
    const bold = (text: string) => (out.isTTY ? styleText('bold', text) : text);
    const faint = (text: string) => (out.isTTY ? styleText('dim', text) : text);
    const base = this.config.publicUrlGiven
      ? this.config.publicUrl
      : `http://localhost:${this.port}`;
    const api = `${base}/api/v1`;
    const { setUpToken } = this.content;
    const rows: [string, string][] = [
      ['API', api],
      ['Dashboard', `${base}/dashboard`],
      ['Database', this.databaseLine()],
    ];
    if (this.content.demoKey) rows.push(['Demo key', this.content.demoKey]);
    const lines = [
      '',
      bold('  The Quiz Question Service is running.'),
      '',
      ...rows.map(([name, value]) => `  ${faint(name.padEnd(11))}${value}`),
    ];
    if (this.content.demoKey)
      lines.push(
        '',
        faint('  Try it:'),
        '',
        `curl -s -H "Authorization: Bearer ${this.content.demoKey}" "${api}/quizzes?limit=3"`,
      );
    if (setUpToken)
      lines.push(
        '',
        faint('  Open this one-time link to become the first administrator:'),
        '',
        `${base}/dashboard/set-up?token=${setUpToken}`,
      );
    lines.push('', faint('  Ctrl-C stops it. The data stays.'));
    if (this.calm) lines.push(faint('  LOG_LEVEL=info npm start shows every request.'));
    lines.push('', '');
    out.write(lines.join('\n'));
  }

  printEnd(out: NodeJS.WriteStream): void {
    const kept = this.database.kind === 'embedded' ? ` The data is in ${this.config.dataDir}.` : '';
    out.write(`\n  Stopped.${kept} npm start goes on from here.\n`);
  }

  private databaseLine(): string {
    const where =
      this.database.kind === 'embedded'
        ? `embedded PostgreSQL in ${this.config.dataDir}`
        : `PostgreSQL at ${new URL(this.database.url).host}`;
    const { added } = this.content;
    return added
      ? `${where}, filled with ${added.quizzes} quizzes and ${added.questions} questions`
      : `${where}, with the data of the last start`;
  }
}
