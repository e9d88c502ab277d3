import { CSV_MARK, csvRow } from '../../../platform/text/csv.rules';
import { joinAtCommas } from '../../../platform/text/text.rules';
import { withEmbedded } from '../pictures';
import { COLUMN_NAMES } from '../question-fields';
import type { ExportedQuiz } from '../row';
import { OPTIONAL, OPTIONAL_NAMES } from './quiz-columns';

/** RFC 4180, with commas and CR LF. */
export function writeCsv(quiz: ExportedQuiz): Generator<string> {
  return linesOf(tableOf(quiz, (question) => withEmbedded(question, quiz.pictures)));
}

function* linesOf(rows: Iterable<readonly string[]>): Generator<string> {
  let mark = CSV_MARK;
  for (const row of rows) {
    yield mark + csvRow(row);
    mark = '';
  }
}

type TableQuestion = ExportedQuiz['questions'][number];

/** A quiz as a table; its columns are those of docs/import-export.md. */
export function* tableOf(
  quiz: ExportedQuiz,
  prepared: (question: TableQuestion) => TableQuestion = (question) => question,
): Generator<string[]> {
  const { questions } = quiz;
  const most = questions.reduce((most, { answers }) => Math.max(most, answers.length), 2);
  const hasAttribution = questions.some(({ source, licence }) => source ?? licence);
  const hasFormat = questions.some(({ format }) => format);
  const optional = OPTIONAL_NAMES.filter((name) => quiz[name] !== undefined);
  const about = [
    quiz.title,
    quiz.description ?? '',
    quiz.category ?? '',
    quiz.difficulty,
    joinAtCommas(quiz.tags),
    ...optional.map((name) => String(quiz[name])),
  ];
  yield [
    ...['question', 'type', 'difficulty', 'explanation', 'correct_numbers'],
    ...Array.from({ length: most }, (_, i) => `answer_${i + 1}`),
    ...(hasFormat ? ['format'] : []),
    ...(hasAttribution ? ['source', 'licence'] : []),
    ...['quiz_title', 'quiz_description', 'quiz_category', 'quiz_difficulty', 'quiz_tags'],
    ...optional.map((name) => COLUMN_NAMES[OPTIONAL[name][0]]),
  ];
  for (const each of questions) {
    const question = prepared(each);
    const { text, type, difficulty, format, explanation, answers, source, licence } = question;
    const correct = answers.flatMap(({ isCorrect }, i) => (isCorrect ? [i + 1] : []));
    yield [
      ...[text, type, difficulty, explanation ?? '', correct.join(' ')],
      ...Array.from({ length: most }, (_, i) => answers[i]?.text ?? ''),
      ...(hasFormat ? [format ?? 'plain'] : []),
      ...(hasAttribution ? [source ?? '', licence ?? ''] : []),
      ...about,
    ];
  }
}
