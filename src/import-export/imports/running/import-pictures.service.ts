import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { QuestionToImport } from '../../../authoring/questions/batch-import.service';
import { QuestionPicturesService } from '../../../authoring/questions/question-pictures.service';
import { MediaService } from '../../../media/media.service';
import { DomainError } from '../../../platform/errors/domain-errors';
import {
  bytesOfUrl,
  embeddedIn,
  mapTexts,
  replaceEmbedded,
  textsOfQuestion,
} from '../../formats/pictures';
import type { ImportedQuestion } from '../../formats/row';
import type { FolderPictures } from '../folder-pictures';
import { RowError } from './file-rows';

/** The pictures of a file's questions. */
@Injectable()
export class ImportPicturesService {
  constructor(
    private readonly database: DataSource,
    private readonly media: MediaService,
    private readonly pictures: QuestionPicturesService,
  ) {}

  /**
   * Stores the pictures that a question in Markdown has in its texts, and refers to them by their ids. A dry run stores
   * them, too: its preview shows them, and those that nothing shows are deleted later.
   * @param beside the pictures of the file's folder
   * @throws RowError
   */
  async store(
    accountId: string,
    read: ImportedQuestion,
    beside?: FolderPictures,
  ): Promise<ImportedQuestion> {
    const storeOne = (bytes: Buffer) =>
      readable(async () => `media:${(await this.media.store(accountId, bytes)).id}`);
    const question = (await beside?.replace(read, storeOne)) ?? read;
    if (question.format !== 'markdown') return question;
    const urls = new Set(textsOfQuestion(question).flatMap(embeddedIn));
    if (urls.size === 0) return question;
    const ids = new Map<string, string>();
    for (const url of urls) ids.set(url, await storeOne(bytesOfUrl(url)));
    return mapTexts(question, (text) => replaceEmbedded(text, (url) => ids.get(url) ?? url));
  }

  /** @throws RowError for a picture that the account does not have, or without alternative text in a public quiz */
  async require(accountId: string, question: QuestionToImport, isPublic: boolean): Promise<void> {
    if (question.format !== 'markdown') return;
    const { manager } = this.database;
    await readable(() => this.pictures.require(manager, accountId, [question], isPublic, () => ''));
  }
}

/** @throws RowError */
async function readable<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof DomainError)) throw error;
    const messages = error.details?.map(({ message }) => message) ?? [error.message];
    throw new RowError(messages.join('; '));
  }
}
