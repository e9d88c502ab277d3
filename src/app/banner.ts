import { styleText } from 'node:util';
import type { Config } from '../platform/config/config';
import type { OpenDatabase } from '../platform/database/open-database';

/** What `npm start` has prepared. */
export interface StartContent {
  added: { quizzes: number; questions: number } | null;
  demoKey: string | null;
  /** In the link that creates the first administrator; null if there is one. */
  setUpToken: string | null;
}

/**
 * What `npm start` prints once everything runs.
 * @param calm requests are not shown
 */
export function printBanner(
  { publicUrlGiven, publicUrl, dataDir }: Config,
  { kind, url }: OpenDatabase,
  port: number,
  { added, demoKey, setUpToken }: StartContent,
  calm: boolean,
): void {
  const out = process.stdout;
  const bold = (text: string) => (out.isTTY ? styleText('bold', text) : text);
  const faint = (text: string) => (out.isTTY ? styleText('dim', text) : text);
  const row = (name: string, value: string) => `  ${faint(name.padEnd(11))}${value}`;
  const base = publicUrlGiven ? publicUrl : `http://localhost:${port}`;
  const api = `${base}/api/v1`;
  const place =
    kind === 'embedded'
      ? `embedded PostgreSQL in ${dataDir}`
      : `PostgreSQL at ${new URL(url).host}`;
  const data = added
    ? `filled with ${added.quizzes} quizzes and ${added.questions} questions`
    : 'with the data of the last start';
  const lines = [
    '',
    bold('  The Quiz Question Service is running.'),
    '',
    row('API', api),
    row('Dashboard', `${base}/dashboard`),
    row('Database', `${place}, ${data}`),
  ];
  if (demoKey)
    lines.push(
      row('Demo key', demoKey),
      '',
      faint('  Try it:'),
      '',
      `curl -s -H "Authorization: Bearer ${demoKey}" "${api}/quizzes?limit=3"`,
    );
  if (setUpToken)
    lines.push(
      '',
      faint('  Open this one-time link to become the first administrator:'),
      '',
      `${base}/dashboard/set-up?token=${setUpToken}`,
    );
  lines.push('', faint('  Ctrl-C stops it. The data stays.'));
  if (calm) lines.push(faint('  LOG_LEVEL=info npm start shows every request.'));
  lines.push('', '');
  out.write(lines.join('\n'));
}
