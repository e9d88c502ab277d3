import type { QuestionFormat, QuestionType } from '../../../catalog/vocabulary';
import { PICTURE_REFERENCE } from '../../../media/references.rules';
import { firstCodePoints } from '../../../platform/text/text.rules';
import { share } from '../gift/gift.writer';
import { questionMetadata, quizMetadata, type Visible } from '../metadata';
import { shortAnswerPattern } from '../moodle-terms';
import { base64Of, replaceShown } from '../pictures';
import type { ExportedQuiz, FilePictures, ImportedQuestion } from '../row';
import { inert, withoutJoiners } from '../text/inert-markdown';
import { escapeXml, instruction, visibleInXml } from '../text/xml-text';

/**
 * Moodle's question XML: one category, then the questions as multichoice, truefalse or shortanswer, all texts plain.
 * What it cannot express is in processing instructions (`<?quiz …?>`), which Moodle ignores.
 */
export function* writeMoodleXml(quiz: ExportedQuiz): Generator<string> {
  yield `<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n  ${instruction(quizMetadata(quiz))}\n`;
  if (quiz.category) {
    const path = `$course$/top/${quiz.category.replaceAll('/', '//')}`;
    yield `  <question type="category">\n    <category><text>${escapeXml(path)}</text></category>\n  </question>\n`;
  }
  for (const question of quiz.questions) yield element(question, quiz.pictures);
  yield '</quiz>\n';
}

function element(question: ImportedQuestion, pictures: FilePictures | undefined): string {
  const { text, explanation, answers, format } = question;
  const shown = (text: string) => inert(text, format);
  const rich = (text: string) => richText(text, format, pictures);
  const kindOfText = format === 'markdown' ? 'markdown' : 'plain_text';
  // Without the addresses of its pictures.
  const named = format === 'markdown' ? text.replace(ADDRESS, '') : text;
  const kind = kindOf(question);
  const correct = answers.filter(({ isCorrect }) => isCorrect).length;
  const credit = kind === 'multichoice' ? share(correct) : '100';
  const inner = [
    // Moodle lists questions by their names.
    `<name><text>${escapeXml(firstCodePoints(visibleInXml(named).replace(/\s+/g, ' '), 60))}</text></name>`,
    `<questiontext format="${kindOfText}">${rich(shown(text))}</questiontext>`,
    explanation &&
      `<generalfeedback format="${kindOfText}">${rich(shown(explanation))}</generalfeedback>`,
    kind === 'multichoice' && `<single>${correct === 1}</single>`,
    kind === 'shortanswer' && '<usecase>0</usecase>',
    ...answers.map(
      ({ text, isCorrect }) =>
        `<answer fraction="${isCorrect ? credit : 0}" format="${kindOfText}">${rich(
          answerText(kind, text, shown),
        )}</answer>`,
    ),
  ].filter((line) => typeof line === 'string' && line);
  const metadata = instruction(questionMetadata(question, NATURAL[kind], visibleInMoodle));
  return `  <question type="${kind}">\n    ${metadata}\n${inner.map((line) => `    ${line}\n`).join('')}  </question>\n`;
}

/** A text with the files that it shows: Moodle's own form of pictures. */
function richText(
  text: string,
  format: QuestionFormat | undefined,
  pictures: FilePictures | undefined,
): string {
  const files = new Map<string, string>();
  const shown =
    format === 'markdown' && pictures
      ? replaceShown(text, (id) => {
          const picture = pictures.get(id);
          if (!picture) return undefined;
          const name = `${id}.${picture.type.replace('image/', '')}`;
          files.set(name, base64Of(id, picture));
          return `@@PLUGINFILE@@/${name}`;
        })
      : text;
  const contents = [...files].map(
    ([name, base64]) => `<file name="${name}" path="/" encoding="base64">${base64}</file>`,
  );
  return `<text>${escapeXml(shown)}</text>${contents.join('')}`;
}

const ADDRESS = new RegExp(`\\(${PICTURE_REFERENCE.source}\\)`, 'gi');

type Kind = 'multichoice' | 'truefalse' | 'shortanswer';
const NATURAL: Record<Kind, QuestionType> = {
  multichoice: 'MULTIPLE_CHOICE',
  truefalse: 'TRUE_FALSE',
  shortanswer: 'OPEN_ENDED',
};

/** truefalse has two fixed answers; other words for them need a choice of two. */
function kindOf({ type, answers }: ImportedQuestion): Kind {
  if (type === 'OPEN_ENDED') return 'shortanswer';
  const isOwn = answers[0]?.text === 'True' && answers[1]?.text === 'False';
  return type === 'TRUE_FALSE' && isOwn ? 'truefalse' : 'multichoice';
}

function answerText(kind: Kind, text: string, shown: (text: string) => string): string {
  if (kind === 'truefalse') return text.toLowerCase();
  // Moodle compares a short answer as it is, and shows it as text.
  return kind === 'shortanswer' ? shortAnswerPattern(text) : shown(text);
}

/** What the reader finds of a text. */
export const visibleInMoodle: Visible = (text, _, format) =>
  withoutJoiners(visibleInXml(text), format);
