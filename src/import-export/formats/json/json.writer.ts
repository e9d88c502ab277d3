import type { ExportedQuiz } from '../row';

/**
 * A whole quiz. Its `questions` have the form of a batch import, so the file may also be sent to the API as it
 * is (specification 4.7; what that does not know it ignores).
 */
export function* writeJson({ questions, ...quiz }: ExportedQuiz): Generator<string> {
  const { title, description, category, difficulty, tags } = quiz;
  const head = JSON.stringify({ title, description, category, difficulty, tags }, null, 2);
  yield `${head.slice(0, -2)},\n  "questions": [`;
  for (const [i, question] of questions.entries()) {
    const { text, type, difficulty, explanation, answers, source, licence } = question;
    const item = { text, type, difficulty, explanation, answers, source, licence };
    yield `${i > 0 ? ',' : ''}\n    ${JSON.stringify(item, null, 2).replaceAll('\n', '\n    ')}`;
  }
  yield `${questions.length > 0 ? '\n  ' : ''}]\n}\n`;
}
