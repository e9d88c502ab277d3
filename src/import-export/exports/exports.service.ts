import { Readable } from 'node:stream';
import { Injectable, StreamableFile } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { Quiz } from '../../catalog/quizzes/quiz.entity';
import { QuizzesService } from '../../catalog/quizzes/quizzes.service';
import { Conflict, NotFound } from '../../platform/errors/domain-errors';
import { isId } from '../../platform/text/ids';
import { type ExportName, exportOf, formatOf } from '../formats/formats';
import { writeJson } from '../formats/json/json';
import type { ExportedQuiz, Writer } from '../formats/row';
import { WRITERS } from '../formats/writers';
import { writeArchive } from './archive.writer';
import { writeArchives, type WrittenArchive } from './archives';
import { findPictures, toExportedQuiz } from './exported-quiz';

/** A quiz for a writer, and its name for a file. */
interface Exported {
  quiz: ExportedQuiz;
  slug: string;
}

/** Quizzes for the writers of `formats`. */
@Injectable()
export class ExportsService {
  /** Accounts whose archive is being sent by this process. */
  private readonly underWay = new Set<string>();

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
    const exported = toExportedQuiz(quiz, attributions);
    const pictures = await findPictures(this.database, exported);
    return { quiz: { ...exported, pictures }, slug: quiz.slug };
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
   * Everything that the account owns, as a ZIP archive that another deployment imports. It is read as it is sent, which keeps
   * a connection busy, so an account has one at a time in each process.
   * @throws Conflict
   */
  account(accountId: string): Readable {
    if (this.underWay.has(accountId))
      throw new Conflict(
        'An export of this account is under way. Wait until it has ended.',
        'export-under-way',
      );
    this.underWay.add(accountId);
    const archive = Readable.from(writeArchive(this.database, accountId));
    archive.once('close', () => this.underWay.delete(accountId));
    return archive;
  }

  /**
   * Any quiz as a file, for the operator, with the owner's rights.
   * @throws NotFound
   */
  async any(
    quizId: string,
    format: ExportName,
  ): Promise<{ quiz: ExportedQuiz; content: ReturnType<Writer> }> {
    const quiz = isId(quizId)
      ? await this.database
          .getRepository(Quiz)
          .findOne({ select: { ownerId: true }, where: { id: quizId } })
      : null;
    if (!quiz) throw new NotFound('Quiz');
    const exported = await this.visible(quiz.ownerId, quizId);
    return { quiz: exported.quiz, content: WRITERS[format](exported.quiz) };
  }

  /** The archives of all accounts, for the operator, each a file in a folder. */
  everything(folder: string): Promise<WrittenArchive[]> {
    return writeArchives(this.database, folder);
  }
}

/** The quiz as a file download, named after its slug. */
export function exportFile({ quiz, slug }: Exported, format: ExportName): StreamableFile {
  const { mediaType, ending, isZip } = exportOf(format);
  const type = isZip ? mediaType : textType(mediaType);
  return fileDownload(`${slug}${ending}`, type, Readable.from(WRITERS[format](quiz)));
}

/** A text as a file download. */
export function downloadOf(
  name: string,
  mediaType: string,
  text: Iterable<string> | AsyncIterable<string>,
): StreamableFile {
  return fileDownload(name, textType(mediaType), Readable.from(text));
}

const textType = (mediaType: string): string => `${mediaType}; charset=utf-8`;

/** The archive of an account as a file download. */
export const archiveDownload = (archive: Readable): StreamableFile =>
  fileDownload('quizzes.zip', ARCHIVE_TYPE, archive);

export const ARCHIVE_TYPE = formatOf('archive').mediaTypes[0];

/** Authors may have written anything: browsers save it and do not show it. */
function fileDownload(name: string, type: string, content: Readable): StreamableFile {
  return new StreamableFile(content, {
    type,
    disposition: `attachment; filename="${name.replace(/[^\w.-]/g, '_')}"; filename*=UTF-8''${encodeURIComponent(name)}`,
  });
}
