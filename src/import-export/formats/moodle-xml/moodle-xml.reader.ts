import { categoryOfPath } from '../category-path';
import { quizOfMetadata } from '../metadata';
import { moodleRow, textOf } from './moodle-question';
import type { Bytes, ImportRow, QuizOfRow } from '../row';
import { TextDecoding } from '../text/text-decoding';
import { xmlElements } from './xml-elements';

/** Reads Moodle's question XML, one question at a time. @throws FileError */
export async function* readMoodleXml(bytes: Bytes): AsyncGenerator<ImportRow> {
  const decoding = new TextDecoding();
  let quiz: QuizOfRow | undefined;
  let number = 0;
  for await (const item of xmlElements(bytes, 'quiz', decoding)) {
    if ('target' in item) {
      if (item.target === 'quiz') quiz = quizOfMetadata(item.body, 'quiz') ?? quiz;
      continue;
    }
    number += 1;
    const place = { line: item.line, path: `question ${number}` };
    if (item.name !== 'question') {
      yield {
        ...place,
        error: `<${item.name}> is no question: write <question type="multichoice">.`,
      };
    } else if (item.attributes.type === 'category') {
      number -= 1;
      // A whole quiz has said its category before.
      if (quiz?.title && quiz.category) continue;
      const path = textOf(item, 'category');
      const { category, note } = categoryOfPath(path);
      if (note) yield { line: item.line, note };
      quiz = category ? { key: `category:${path}`, category } : undefined;
    } else yield moodleRow(place, item, quiz);
  }
  yield* decoding.notes();
}
