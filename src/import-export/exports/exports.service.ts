import { Readable } from 'node:stream';
import { Injectable, StreamableFile } from '@nestjs/common';
import { InjectEntityManager } from '@nestjs/typeorm';
import { EntityManager } from 'typeorm';
import { Quiz } from '../../catalog/quizzes/quiz.entity';
import { QuizzesService } from '../../catalog/quizzes/quizzes.service';
import { MediaService } from '../../media/media.service';
import { Conflict, NotFound, Overloaded } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { isId } from '../../platform/text/ids';
import { type ExportName, exportOf, formatOf } from '../formats/formats';
import { withContents } from '../formats/pictures';
import type { ExportedQuiz } from '../formats/row';
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
  /** How many files of quizzes are being sent to accounts by this process. */
  private readonly sending = new Map<string, number>();

  constructor(
    @InjectEntityManager() private readonly database: EntityManager,
    private readonly quizzes: QuizzesService,
    private readonly media: MediaService,
  ) {}

  /**
   * A quiz that the account may see.
   * @throws NotFound
   */
  async visible(accountId: string, quizId: string): Promise<Exported> {
    const quiz = await this.quizzes.get(accountId, quizId);
    const attributions = await this.quizzes.attributions(accountId, quiz.id);
    const exported = toExportedQuiz(quiz, attributions);
    const pictures = await findPictures(this.media, exported);
    return { quiz: { ...exported, pictures }, slug: quiz.slug };
  }

  /**
   * A quiz that the account may see as a file download, named after its slug.
   * @throws NotFound, Overloaded
   */
  async file(accountId: string, quizId: string, format: ExportName): Promise<StreamableFile> {
    const { quiz, slug } = await this.visible(accountId, quizId);
    const { mediaType, ending, isZip } = exportOf(format);
    const type = isZip ? mediaType : textType(mediaType);
    const content = Readable.from(contentOf(quiz, format));
    this.hold(accountId, content);
    return fileDownload(`${slug}${ending}`, type, content);
  }

  /**
   * Several quizzes that the account may see, as one JSON file that can be imported again.
   * @throws Overloaded
   */
  files(accountId: string, name: string, quizIds: readonly string[]): StreamableFile {
    const content = Readable.from(this.several(accountId, quizIds));
    this.hold(accountId, content);
    return fileDownload(name, textType('application/json'), content);
  }

  /**
   * A client may take a file as slowly as it likes. Meanwhile its questions, up to 2 MiB, are in memory, and each piece of a
   * picture is a read of the database, a thousand for a file.
   * @throws Overloaded if the account is being sent as many files as it may
   */
  private hold(accountId: string, content: Readable): void {
    const held = this.sending.get(accountId) ?? 0;
    if (held >= LIMITS.content.exports.value) throw new Overloaded();
    this.sending.set(accountId, held + 1);
    content.once('close', () => {
      const left = (this.sending.get(accountId) ?? 1) - 1;
      if (left > 0) this.sending.set(accountId, left);
      else this.sending.delete(accountId);
    });
  }

  /** They are read one by one. */
  private async *several(
    accountId: string,
    quizIds: readonly string[],
  ): AsyncGenerator<string | Uint8Array> {
    let before = '{"success": true, "quizzes": [\n';
    for (const quizId of quizIds) {
      const { quiz } = await this.visible(accountId, quizId);
      yield before;
      yield* contentOf(quiz, 'json');
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
  ): Promise<{ quiz: ExportedQuiz; content: ReturnType<typeof contentOf> }> {
    const quiz = isId(quizId)
      ? await this.database
          .getRepository(Quiz)
          .findOne({ select: { ownerId: true }, where: { id: quizId } })
      : null;
    if (!quiz) throw new NotFound('Quiz');
    const exported = await this.visible(quiz.ownerId, quizId);
    return { quiz: exported.quiz, content: contentOf(exported.quiz, format) };
  }

  /** The archives of all accounts, for the operator, each a file in a folder. */
  everything(folder: string): Promise<WrittenArchive[]> {
    return writeArchives(this.database, folder);
  }
}

/** The quiz as a file, with its pictures. */
const contentOf = (quiz: ExportedQuiz, format: ExportName) =>
  withContents(WRITERS[format](quiz), quiz.pictures);

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
