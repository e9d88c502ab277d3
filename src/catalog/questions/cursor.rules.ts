/** A question, by its quiz and its place there. */
export interface QuestionKey {
  quiz_id: string;
  position: number;
}

/** The position behind a question: the 16 bytes of its quiz's id and its place in the quiz, as base64url. */
export function cursorOf({ quiz_id, position }: QuestionKey): string {
  const bytes = Buffer.alloc(LENGTH);
  bytes.write(quiz_id.replaceAll('-', ''), 'hex');
  bytes.writeUInt16BE(position, 16);
  return bytes.toString('base64url');
}

/** Undefined for anything that is not a cursor: the page then begins without it. */
export function readCursor(text: string | undefined): QuestionKey | undefined {
  if (text === undefined || !/^[\w-]{24}$/.test(text)) return undefined;
  const bytes = Buffer.from(text, 'base64url');
  const quiz_id = bytes
    .toString('hex', 0, 16)
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  return { quiz_id, position: bytes.readUInt16BE(16) };
}

/** `after` of a link: the offset of its page, and the position behind the page before. */
export const pageCursorOf = (question: QuestionKey, offset: number): string =>
  `${offset}.${cursorOf(question)}`;

/** Undefined also for a cursor of another page, such as of a link whose offset the caller has changed. */
export function readPageCursor(text: string | undefined, offset: number): QuestionKey | undefined {
  const [page, cursor] = text?.split('.') ?? [];
  return page === String(offset) ? readCursor(cursor) : undefined;
}

const LENGTH = 18;
