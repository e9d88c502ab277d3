import { StreamableFile } from '@nestjs/common';
import type { Response } from 'express';
import { ConstantText } from '../../platform/http/server/text-response';
import { LIMITS } from '../../platform/limits/limits';
import { CSV_MARK, csvRow } from '../../platform/text/csv.rules';
import type { SubmittedAttempt } from './results.dto';
import type { QuizStatistics, ResultsService } from './results.service';

/**
 * A line for each attempt, in the columns of docs/playing.md#results; of the newest, as many as the file has room for: an
 * answer is stored as the ids of its choices, and a line has all their texts.
 */
export async function attemptsFile(
  of: Awaited<ReturnType<ResultsService['allAttempts']>>,
): Promise<CsvFile> {
  const { quiz, questions, attempts } = of;
  const texts = new Map(
    questions.flatMap(({ answers }) => answers.map(({ id, text }) => [id, text] as const)),
  );
  const textOf = (id: string) => texts.get(id) ?? '(an answer that has since been changed)';
  const head = [
    ...['player', 'score', 'questions', 'seconds', 'started', 'submitted', 'counted'],
    ...questions.flatMap(({ text }, index) => [`${index + 1}. ${text}`, `${index + 1} correct`]),
  ];
  const lineOf = (attempt: SubmittedAttempt) => {
    const given = new Map(attempt.answers.map((answer) => [answer.questionId, answer]));
    return csvRow([
      attempt.name,
      ...[attempt.score, attempt.total, attempt.timeSpent],
      attempt.startedAt.toISOString(),
      attempt.submittedAt.toISOString(),
      attempt.counted ? 'yes' : 'no',
      ...questions.flatMap(({ id }) => {
        const answer: SubmittedAttempt['answers'][number] | undefined = given.get(id);
        if (!answer) return ['', ''];
        const text = answer.text ?? (answer.answerIds ?? []).map(textOf).join('; ');
        return [text, answer.correct ? '1' : '0'];
      }),
    ]);
  };
  const lines = [csvRow(head)];
  let bytes = Buffer.byteLength(lines.join(''));
  for await (const attempt of attempts) {
    const line = lineOf(attempt);
    if ((bytes += Buffer.byteLength(line)) > LIMITS.requests.resultBytes.value) break;
    lines.push(line);
  }
  return csvFile(`${quiz.slug}-attempts.csv`, lines);
}

/** A line for each question, in the columns of docs/playing.md#results. */
export function statisticsFile({ quiz, questions }: QuizStatistics): CsvFile {
  const most = Math.max(0, ...questions.map(({ options }) => options.length));
  const head = [
    ...['number', 'question', 'type', 'difficulty', 'attempts', 'correct', 'unanswered'],
    ...['facility', 'standard deviation', 'discrimination index', 'discriminative efficiency'],
    ...['measured difficulty', 'flags', 'open reports'],
    ...Array.from({ length: most }, (_, index) => [
      `answer ${index + 1}`,
      `chosen ${index + 1}`,
    ]).flat(),
  ];
  const figure = (value: number | null | undefined) =>
    typeof value === 'number' ? Number(value.toFixed(2)) : '';
  const lines = questions.map(({ order, text, type, difficulty, analysis, ...sums }) =>
    csvRow([
      ...[order, text, type, difficulty],
      ...[sums.attempts, sums.correct, sums.unanswered],
      figure(analysis?.facility),
      figure(analysis?.standardDeviation),
      figure(analysis?.discriminationIndex),
      figure(analysis?.discriminativeEfficiency),
      analysis?.measuredDifficulty ?? '',
      sums.flags.map(({ kind }) => kind).join(' '),
      sums.openReports,
      ...Array.from({ length: most }, (_, at) => sums.options[at]).flatMap((option) =>
        option
          ? [`${option.text}${option.isCorrect ? ' (correct)' : ''}`, option.chosen]
          : ['', ''],
      ),
    ]),
  );
  return csvFile(`${quiz.slug}-questions.csv`, [csvRow(head), ...lines]);
}

interface CsvFile {
  name: string;
  text: string;
}

const CSV_TYPE = 'text/csv; charset=utf-8';

const csvFile = (name: string, lines: string[]): CsvFile => ({
  name: name.replace(/[^\w.-]/g, '_'),
  text: CSV_MARK + lines.join(''),
});

const dispositionOf = ({ name }: CsvFile) => `attachment; filename="${name}"`;

/** For the API: with an ETag, like every read. */
export function csvResponse(response: Response, file: CsvFile): ConstantText {
  response.setHeader('Content-Disposition', dispositionOf(file));
  return new ConstantText(CSV_TYPE, file.text);
}

/** For the dashboard: nobody stores it. */
export const csvDownload = (file: CsvFile) =>
  new StreamableFile(Buffer.from(file.text), { type: CSV_TYPE, disposition: dispositionOf(file) });
