import type { Request, Response } from 'express';
import { DomainError, Malformed } from '../../errors/domain-errors';
import { allowUpload } from '../../hardening/slow-clients';
import { inviteBody } from '../server/unreadable-requests';

/** A file that is the body of a request. */
export interface FileBody {
  /** In bytes. */
  most: number;
  tooLarge: () => DomainError;
  /** What to send instead of a form: `curl --data-binary @questions.csv`. */
  example: string;
}

/**
 * Passes on a request's body as it arrives, and also responds to a client that has not sent all of it.
 * @throws Malformed (400) for a form, a compressed or an incomplete body; TooLarge (413); what `take` throws
 */
export async function receive<T>(
  request: Request,
  response: Response,
  { most, tooLarge, example }: FileBody,
  take: (bytes: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  const { headers } = request;
  allowUpload(request);
  try {
    if (/^multipart\//i.test(headers['content-type'] ?? ''))
      throw new Malformed(
        `Send the file itself as the body, not a form: ${example}.`,
        'file-not-received',
      );
    if (!/^(?:identity)?$/i.test(headers['content-encoding']?.trim() ?? ''))
      throw new Malformed('Send the file as it is, without Content-Encoding.', 'file-not-received');
    if (Number(headers['content-length']) > most) throw tooLarge();
    inviteBody(request, response);
    // Not the stream's own iteration: that would close the connection without a response.
    return await take(request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>);
  } catch (error) {
    // The rest of the body is discarded until the request's time is over. Closing instead would reset the connection
    // of a client that is still sending, and it would not receive the response: curl would show only a network error.
    if (!request.complete) request.resume();
    if (error instanceof DomainError || !request.errored) throw error;
    throw new Malformed('The upload was incomplete. Send the file again.', 'file-not-received');
  }
}

/** The whole body, for files that are small. @throws as `receive` */
export const receiveWhole = (
  request: Request,
  response: Response,
  file: FileBody,
): Promise<Buffer> =>
  receive(request, response, file, async (bytes) => {
    const pieces: Uint8Array[] = [];
    let length = 0;
    for await (const piece of bytes) {
      if ((length += piece.length) > file.most) throw file.tooLarge();
      pieces.push(piece);
    }
    return Buffer.concat(pieces);
  });
