import type { Request, Response } from 'express';
import { DomainError, Malformed } from '../../platform/errors/domain-errors';
import { isUpload } from '../../platform/http/request/body-time';
import { formatByMediaType, type FormatName } from '../formats/formats';
import { fileTooLarge } from './import-file';

/** The format that a `Content-Type` names. JSON is left open: Open Trivia DB's is JSON, too. */
export function formatOfUpload({ headers }: Request): FormatName | undefined {
  const named = formatByMediaType(headers['content-type'] ?? '');
  return named === 'json' ? undefined : named;
}

/**
 * Hands on a request's body as it comes, and answers also a client that has not sent all of it.
 * @throws Malformed (400) for a form, a packed or a broken off body; TooLarge (413)
 */
export async function receive<T>(
  request: Request,
  response: Response,
  most: number,
  take: (bytes: AsyncIterable<Uint8Array>) => Promise<T>,
): Promise<T> {
  const { headers } = request;
  isUpload(request);
  try {
    if (/^multipart\//i.test(headers['content-type'] ?? ''))
      throw new Malformed(
        'Send the file itself as the body, not a form: curl --data-binary @questions.csv.',
      );
    if (!/^(?:identity)?$/i.test(headers['content-encoding']?.trim() ?? ''))
      throw new Malformed('Send the file as it is, without Content-Encoding.');
    if (Number(headers['content-length']) > most) throw fileTooLarge(most);
    if (/^100-continue$/i.test(headers.expect ?? '')) {
      response.removeHeader('Connection');
      response.writeContinue();
    }
    // Not the stream's own iteration: that would close the connection instead of answering.
    return await take(request.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>);
  } catch (error) {
    // What still comes is thrown away, until the request's time is over. To close instead would reset the
    // connection under a client that is still sending, and the answer with it: curl shows nothing but an error.
    if (!request.complete) request.resume();
    if (error instanceof DomainError || !request.errored) throw error;
    throw new Malformed('The file did not arrive whole. Send it again.');
  }
}
