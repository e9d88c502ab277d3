import type { EntityManager } from 'typeorm';
import { findPictureIds } from '../../../media/archived-pictures.queries';
import { pictureIdsIn, withPictures } from '../../../media/references.rules';

/** JSON of an archive with the ids of the account's pictures in place of their names. */
export async function withStoredPictures(
  tx: EntityManager,
  accountId: string,
  json: string,
): Promise<string> {
  const names = pictureIdsIn(json);
  if (names.length === 0) return json;
  return withPictures(json, await findPictureIds(tx, accountId, names));
}
