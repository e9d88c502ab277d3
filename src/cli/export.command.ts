import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ExportService } from '../import-export/export.service';
import { WRITABLE_FORMATS, writerOf, type WritableFormat } from '../import-export/formats/formats';
import { argument, command, option, required } from './command';

export const exportCommand = command<{
  'quiz-id': string;
  format: WritableFormat;
  output?: string;
}>({
  name: 'export',
  description: 'write a quiz with its questions and answers, whoever owns it',
  parameters: [
    argument('<quiz-id>', 'id of the quiz'),
    required('--format <format>', 'format of the file', WRITABLE_FORMATS),
    option('--output <file>', 'file to write; without it the quiz is printed'),
  ],
  async run(services, { 'quiz-id': quizId, format, output: file }, output) {
    const { quiz } = await services.get(ExportService).any(quizId);
    const pieces = writerOf(format)(quiz);
    const about = { quizId, format, questions: quiz.questions.length };
    if (file === undefined) {
      const content = [...pieces].join('');
      // The result ends with its own line break.
      output.result({ ...about, content }, content.replace(/\n$/, ''));
      return;
    }
    await pipeline(Readable.from(pieces), createWriteStream(file));
    output.result({ ...about, file }, `Wrote "${quiz.title}" to ${file}.`);
  },
});
