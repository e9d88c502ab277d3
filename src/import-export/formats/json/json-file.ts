import type { Bytes } from '../row';
import type { TextDecoding } from '../text/text-decoding';
import { textPieces } from '../text/text-pieces';
import { JsonScanner, type JsonElement, type JsonList } from './json-scanner';

/**
 * JSON says what a quiz is called after its questions if it likes, so a file is read twice, and none of it is
 * kept but an element: first for its outline, and for an error anywhere in it; then for one of its lists.
 */
export interface JsonOutline {
  /** The file's value, with a list's number in place of its elements: `{"title": "T", "questions": [0]}`. */
  value: unknown;
  lists: readonly JsonList[];
}

/**
 * Reads a file to its end.
 * @param look sees the elements of all lists
 * @throws FileError where it is no JSON, cut off, or without an end
 */
export async function readOutline(
  bytes: Bytes,
  decoding: TextDecoding,
  look: (element: JsonElement) => void = () => undefined,
): Promise<JsonOutline> {
  const scanner = new JsonScanner();
  for await (const found of scanned(scanner, bytes, decoding))
    for (const element of found) look(element);
  return { value: scanner.value(), lists: scanner.lists };
}

/** The elements of these lists. @throws FileError */
export async function* elementsOf(
  bytes: Bytes,
  decoding: TextDecoding,
  lists: ReadonlySet<number>,
): AsyncGenerator<JsonElement> {
  for await (const found of scanned(new JsonScanner(lists), bytes, decoding)) yield* found;
}

/** Many at a time: one asynchronous step for each element would cost more than reading it. */
async function* scanned(
  scanner: JsonScanner,
  bytes: Bytes,
  decoding: TextDecoding,
): AsyncGenerator<JsonElement[]> {
  for await (const piece of textPieces(bytes, decoding)) {
    scanner.take(piece);
    yield scanner.found.splice(0);
  }
  scanner.end();
  yield scanner.found.splice(0);
}
