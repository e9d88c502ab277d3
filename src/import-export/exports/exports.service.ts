import { Readable } from 'node:stream';
import { Injectable, StreamableFile } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import type { Response } from 'express';
import { EntityManager } from 'typeorm';
import { Quiz } from '../../catalog/quizzes/quiz.entity';
import { type Attribution, QuizzesService } from '../../catalog/quizzes/quizzes.service';
import { NotFound } from '../../platform/errors/domain-errors';
import { isId } from '../../platform/text/ids';
import { formatOf, type WritableFormat, writerOf } from '../formats/formats';
import { writeJson } from '../formats/json/json';
import type { ExportedQuiz } from '../formats/row';

/** A quiz for a writer, and its name for a file. */
interface Exported {
  quiz: ExportedQuiz;
  slug: string;
}

/** Quizzes for the writers of `formats`. */
@Injectable()
export class ExportsService {
  constructor(
    @InjectEntityManager() private readonly database: EntityManager,
    private readonly quizzes: QuizzesService,
  ) {}

  /**
   * A quiz that the account may see.
   * @throws NotFound
   */
  async visible(accountId: string, quizId: string): Promise<Exported> {
    const quiz = await this.quizzes.get(accountId, quizId);
    const attributions = await this.quizzes.attributions(accountId, quiz.id);
    return { quiz: toExportedQuiz(quiz, attributions), slug: quiz.slug };
  }

  /** Several quizzes that the account may see, as one JSON file that can be imported again. They are read one by one. */
  async *several(accountId: string, quizIds: readonly string[]): AsyncGenerator<string> {
    let before = '{"success": true, "quizzes": [\n';
    for (const quizId of quizIds) {
      const { quiz } = await this.visible(accountId, quizId);
      yield before;
      yield* writeJson(quiz);
      before = ',\n';
    }
    yield ']}\n';
  }

  /**
   * Any quiz, for the operator, with the owner's rights.
   * @throws NotFound
   */
  async any(quizId: string): Promise<Exported> {
    const quiz = isId(quizId)
      ? await this.database
          .getRepository(Quiz)
          .findOne({ select: { ownerId: true }, where: { id: quizId } })
      : null;
    if (!quiz) throw new NotFound('Quiz');
    return this.visible(quiz.ownerId, quizId);
  }
}

/** Only these fields leave the service. */
function toExportedQuiz(
  quiz: Awaited<ReturnType<QuizzesService['get']>>,
  attributions: Map<string, Attribution>,
): ExportedQuiz {
  return {
    title: quiz.title,
    ...(quiz.description && { description: quiz.description }),
    ...(quiz.category && { category: quiz.category }),
    difficulty: quiz.difficulty,
    tags: quiz.tags,
    ...(quiz.timeLimit && { timeLimit: quiz.timeLimit }),
    ...(quiz.maxAttempts && { maxAttempts: quiz.maxAttempts }),
    ...(quiz.acceptTypos && { acceptTypos: true }),
    ...(quiz.questionsPerAttempt && { questionsPerAttempt: quiz.questionsPerAttempt }),
    questions: quiz.questions.map((question) => ({
      text: question.text,
      type: question.type,
      difficulty: question.difficulty,
      ...(question.format !== 'plain' && { format: question.format }),
      ...(question.explanation && { explanation: question.explanation }),
      answers: question.answers.map(({ text, isCorrect }) => ({ text, isCorrect })),
      ...attributions.get(question.id),
    })),
  };
}

/** The quiz as a file download, named after its slug. */
export function exportFile(
  { quiz, slug }: Exported,
  format: WritableFormat,
  response: Response,
): StreamableFile {
  const { mediaTypes, endings } = formatOf(format);
  return downloadOf(response, `${slug}${endings[0] ?? ''}`, mediaTypes[0], writerOf(format)(quiz));
}

/** A text as a file download. */
export function downloadOf(
  response: Response,
  name: string,
  mediaType: string,
  text: Iterable<string> | AsyncIterable<string>,
): StreamableFile {
  // Authors may have written anything: browsers save it and do not show it.
  response.setHeader('X-Content-Type-Options', 'nosniff');
  return new StreamableFile(Readable.from(text), {
    type: `${mediaType}; charset=utf-8`,
    disposition: `attachment; filename="${name.replace(/[^\w.-]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(name)}`,
  });
}
