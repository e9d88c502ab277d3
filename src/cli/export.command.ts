import { Command, Option } from 'commander';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ExportService } from '../import-export/export.service';
import { WRITABLE_FORMATS, writerOf, type WritableFormat } from '../import-export/formats/formats';
import type { Output } from './output';
import { withServices } from './services';

interface Options {
  format: WritableFormat;
  output?: string;
}

export function exportCommand(output: Output): Command {
  return new Command('export')
    .description('write a quiz with its questions and answers, whoever owns it')
    .argument('<quiz-id>', 'id of the quiz')
    .addOption(
      new Option('--format <format>', 'format of the file')
        .choices(WRITABLE_FORMATS)
        .makeOptionMandatory(),
    )
    .option('--output <file>', 'file to write; without it the quiz is printed')
    .action((id: string, { format, output: file }: Options) =>
      withServices(output, async (services) => {
        const { quiz } = await services.get(ExportService).any(id);
        const pieces = writerOf(format)(quiz);
        const about = { quizId: id, format, questions: quiz.questions.length };
        if (file === undefined) {
          const content = [...pieces].join('');
          // The result ends with a line break of its own.
          output.result({ ...about, content }, content.replace(/\n$/, ''));
          return;
        }
        await pipeline(Readable.from(pieces), createWriteStream(file));
        output.result({ ...about, file }, `Wrote "${quiz.title}" to ${file}.`);
      }),
    );
}
