import { createHash, randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { DataSource, type EntityManager, In, Not, Repository } from 'typeorm';
import { AccountsService } from '../access/accounts/accounts.service';
import { Clock } from '../platform/clock';
import { found, NotFound } from '../platform/errors/domain-errors';
import { LIMITS } from '../platform/limits/limits';
import { isId } from '../platform/text/ids';
import type { Image } from './images/image';
import { readImage } from './images/read-image';
import { PICTURE_FILE, type PictureData, pictureUrl } from './media.dto';
import { Medium } from './media.entity';
import {
  copyPictures,
  findContent,
  findPicture,
  findSmallest,
  PICTURE_OVERHEAD,
  type StoredPicture,
} from './media.queries';

/** Nobody deletes pictures themselves. */
const UNUSED_ARE_DELETED = `Pictures that nothing shows are deleted after ${LIMITS.content.unusedPictureDays.value} days.`;
/** Whoever reads a picture slowly holds no more bytes of it. */
const SLICE = LIMITS.content.pictureAtOnce.value;

/** The pictures of questions. */
@Injectable()
export class MediaService {
  constructor(
    private readonly database: DataSource,
    @InjectRepository(Medium) private readonly media: Repository<Medium>,
    private readonly accounts: AccountsService,
    private readonly clock: Clock,
  ) {}

  /**
   * Stores a picture of the account, without its metadata. The same picture is stored once: a repeated upload returns it.
   * @throws UnsupportedMediaType for what is no picture; TooLarge; Invalid for a damaged one; LimitExceeded above the plan
   */
  store(accountId: string, bytes: Buffer): Promise<PictureData> {
    const image = readPicture(bytes);
    return this.database.transaction((tx) => this.storeIn(tx, accountId, image));
  }

  /** The same inside a transaction of the caller's, for a picture that was read. @throws LimitExceeded */
  async storeIn(tx: EntityManager, accountId: string, image: Image): Promise<PictureData> {
    const account = await this.accounts.lockUndeleted(tx, accountId);
    const media = tx.getRepository(Medium);
    const sha256 = createHash('sha256').update(image.bytes).digest();
    const known = await media.findOneBy({ accountId, sha256 });
    const now = this.clock.now();
    if (known) {
      // Whoever uploads it again is about to use it.
      if (known.unusedSince) await media.update({ id: known.id }, { unusedSince: now });
      return toPicture(known);
    }
    const { type, width, height, bytes: content } = image;
    this.accounts.requireRoom(account, content.length + PICTURE_OVERHEAD, UNUSED_ARE_DELETED);
    const fields = { type, width, height, bytes: content.length, content };
    const times = { createdAt: now, unusedSince: now };
    const medium = { id: randomUUID(), accountId, sha256, ...fields, ...times };
    await media.insert(medium);
    return toPicture(medium);
  }

  /**
   * A picture for whoever knows its id: nobody needs a key. It is not shown while its account is disabled.
   * @throws NotFound
   */
  async get(id: string): Promise<StoredPicture> {
    return found('Picture', isId(id) && (await findPicture(this.database, id)));
  }

  /** The bytes of a picture, read as they are taken. @throws NotFound if it is deleted meanwhile */
  async *read({ id, bytes }: Pick<StoredPicture, 'id' | 'bytes'>): AsyncGenerator<Buffer> {
    for (let from = 0; from < bytes;) {
      const part = await findContent(this.database, { id, from, count: SLICE });
      if (part.length === 0) throw new NotFound('Picture');
      yield part;
      from += part.length;
    }
  }

  /**
   * Those of these pictures that a file has room for.
   * @param times by id, how often the file has each
   */
  ofFile(times: ReadonlyMap<string, number>) {
    return findSmallest(this.database, times, LIMITS.content.exportedPictures.value);
  }

  /** Which of these pictures the account has. */
  async ownedOf(
    tx: EntityManager,
    accountId: string,
    ids: readonly string[],
  ): Promise<Set<string>> {
    const where = { accountId, id: In(ids.filter(isId)) };
    const owned = await tx.getRepository(Medium).find({ select: { id: true }, where });
    return new Set(owned.map(({ id }) => id));
  }

  /**
   * Copies pictures of other accounts that the account may see into it.
   * @returns the ids of its pictures in place of those of others
   * @throws LimitExceeded
   */
  async copyIn(
    tx: EntityManager,
    accountId: string,
    ids: readonly string[],
  ): Promise<Map<string, string>> {
    const account = await this.accounts.lock(tx, accountId);
    const media = tx.getRepository(Medium);
    const select = { id: true, sha256: true, bytes: true };
    const others = await media.find({ select, where: { id: In(ids), accountId: Not(accountId) } });
    if (others.length === 0) return new Map();
    const copies = async () => {
      const where = { accountId, sha256: In(others.map(({ sha256 }) => sha256)) };
      const rows = await media.find({ select, where });
      return new Map(rows.map(({ id, sha256 }) => [sha256.toString('hex'), id]));
    };
    const known = await copies();
    const fresh = new Map(
      others
        .map((row) => [row.sha256.toString('hex'), row] as const)
        .filter(([hash]) => !known.has(hash)),
    );
    const missing = [...fresh.values()];
    this.accounts.requireRoom(
      account,
      missing.reduce((sum, { bytes }) => sum + bytes + PICTURE_OVERHEAD, 0),
      UNUSED_ARE_DELETED,
    );
    await copyPictures(
      tx,
      accountId,
      missing.map(({ id }) => id),
      this.clock.now(),
    );
    const all = await copies();
    return new Map(
      others.map(({ id, sha256 }) => [id, all.get(sha256.toString('hex')) ?? id] as const),
    );
  }

  /** What a page needs to show these pictures of any accounts, by id; unknown ones are missing. */
  describe(ids: readonly string[]): Promise<Map<string, PictureData>> {
    return this.describeThose(ids, {});
  }

  /** The same of the account's own pictures; others are missing. */
  describeOwn(accountId: string, ids: readonly string[]): Promise<Map<string, PictureData>> {
    return this.describeThose(ids, { accountId });
  }

  private async describeThose(
    ids: readonly string[],
    owner: { accountId?: string },
  ): Promise<Map<string, PictureData>> {
    const wanted = [...new Set(ids)].filter(isId);
    const rows = wanted.length === 0 ? [] : await this.media.findBy({ id: In(wanted), ...owner });
    return new Map(rows.map((row) => [row.id, toPicture(row)]));
  }
}

/** @throws UnsupportedMediaType, TooLarge, Invalid */
export function readPicture(bytes: Buffer): Image {
  if (bytes.length > PICTURE_FILE.most) throw PICTURE_FILE.tooLarge();
  return readImage(bytes);
}

const toPicture = ({ id, type, width, height, bytes }: PictureData | Medium): PictureData => ({
  id,
  url: pictureUrl(id),
  type,
  width,
  height,
  bytes,
});
