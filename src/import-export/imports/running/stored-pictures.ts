import type { EntityManager } from 'typeorm';
import { findPictureIds } from '../../../media/archived-pictures.queries';
import { pictureIdsIn, replacePictures } from '../../../media/references.rules';

/** What was read of an archive, with the ids of the account's pictures in place of their names. */
export async function withStoredPictures<T extends object>(
  tx: EntityManager,
  accountId: string,
  read: T,
): Promise<T> {
  const names = pictureIdsIn(read);
  if (names.length === 0) return read;
  return replacePictures(read, await findPictureIds(tx, accountId, names));
}
