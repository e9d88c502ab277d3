import type { QuestionType } from '../../../catalog/vocabulary';
import { questionMetadata, quizMetadata } from '../metadata';
import { escapeGift, visibleInGift } from './gift-text';
import type { ExportedQuiz, ImportedQuestion } from '../row';

/** A comment at the head with what GIFT cannot say of a quiz, then the category and the questions. */
export function* writeGift(quiz: ExportedQuiz): Generator<string> {
  yield `// ${quizMetadata(quiz)}\n\n`;
  // What follows it up to the line's end is the category, as it is; a slash would begin another one.
  const category = (quiz.category ?? '').replace(/[\r\n]+/g, ' ').replaceAll('/', '//');
  if (category) yield `$CATEGORY: ${category}\n\n`;
  for (const question of quiz.questions) yield block(question);
}

function block(question: ImportedQuestion): string {
  const { text, answers, explanation } = question;
  const natural = naturalType(question);
  const general = explanation ? `\t####${rich(explanation)}\n` : '';
  const comment = `// ${questionMetadata(question, natural, visibleInGift)}\n`;
  const stem = `[plain]${escapeGift(text)}`;
  if (natural === 'TRUE_FALSE')
    return `${comment}${stem}{${answers[0]?.isCorrect ? 'TRUE' : 'FALSE'}\n${general}}\n\n`;
  const lines = answers.map((answer) => `\t${mark(question, answer)}${rich(answer.text)}\n`);
  return `${comment}${stem} {\n${lines.join('')}${general}}\n\n`;
}

/**
 * The type that a reader would see. {TRUE} has two answers of its own; other words for them need a choice of two.
 * Accepted answers with an arrow look like pairs.
 */
function naturalType({ type, answers }: ImportedQuestion): QuestionType | undefined {
  if (type === 'OPEN_ENDED')
    return answers.some(({ text }) => text.includes('->')) ? undefined : type;
  const isOwn = answers[0]?.text === 'True' && answers[1]?.text === 'False';
  return type === 'TRUE_FALSE' && isOwn ? 'TRUE_FALSE' : 'MULTIPLE_CHOICE';
}

function mark(question: ImportedQuestion, { isCorrect }: { isCorrect: boolean }): string {
  if (question.type === 'OPEN_ENDED') return isCorrect ? '=' : '=%0%';
  const correct = question.answers.filter((answer) => answer.isCorrect).length;
  if (correct === 1) return isCorrect ? '=' : '~';
  return isCorrect ? `~%${share(correct)}%` : '~';
}

/** Percent of one of `count` correct answers, as Moodle writes it: 33.33333 */
export function share(count: number): string {
  return String(Number((100 / count).toFixed(5)));
}

/** A text that begins like a sign of the format says first that it is plain. */
function rich(text: string): string {
  return `${/^[[%]/.test(text) ? '[plain]' : ''}${escapeGift(text)}`;
}
