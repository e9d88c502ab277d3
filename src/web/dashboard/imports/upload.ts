import busboy from 'busboy';
import type { Request } from 'express';
import { finished } from 'node:stream/promises';
import { Malformed } from '../../../platform/errors/domain-errors';
import { isUpload } from '../../../platform/http/request/body-time';
import { isStorable } from '../../../platform/text/text.rules';
import { Form } from '../../http/form';

/** A file that a browser sends with a form. */
export interface Upload {
  /** The fields that come before the file. */
  form: Form;
  /** '' when none was chosen. */
  fileName: string;
  /** A stream: the whole file is never in memory. */
  bytes: AsyncIterable<Uint8Array>;
}

/**
 * Reads a multipart form with one file, its last field. An upload that `take` refuses is still read to its end (or to
 * the end of the request's time): otherwise the browser shows a network error instead of our message.
 * @throws Malformed (400) for another kind of form, or one that ends early
 */
export async function receiveUpload<T>(
  request: Request,
  take: (upload: Upload) => Promise<T>,
): Promise<T> {
  const parser = parserOf(request);
  const fields: Record<string, string> = {};
  let taken: Promise<T> | undefined;
  parser.on('field', (name, value) => (fields[name] = value));
  parser.on('file', (_, stream, { filename }) => {
    // The parser reports malformed forms as well.
    stream.on('error', () => undefined);
    // Not the stream's own iteration: leaving it early would destroy the stream, and the parser would wait for ever.
    const bytes = stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
    taken = take({ form: new Form({ ...fields }), fileName: nameOf(filename), bytes });
    // The await below reports its failure; this only waits for the end of reading.
    taken.catch(() => undefined).finally(() => stream.resume());
  });
  request.once('close', () => {
    if (!request.complete) parser.destroy(new Error('The connection was closed.'));
  });
  isUpload(request);
  request.pipe(parser);
  try {
    await finished(parser, { readable: false });
  } catch {
    request.resume();
    await taken?.catch(() => undefined);
    throw new Malformed('The file did not arrive whole. Send it again.');
  }
  if (!taken) throw new Malformed('The form has no file. Go back and choose one.');
  return taken;
}

function parserOf({ headers }: Request): busboy.Busboy {
  try {
    return busboy({
      headers,
      defParamCharset: 'utf8',
      limits: { files: 1, fields: 20, fieldSize: 4_000, parts: 40 },
    });
  } catch {
    throw new Malformed('The form could not be read. Go back and send it again.');
  }
}

/** The last segment of the name, at most 200 characters of it. */
function nameOf(given: string | undefined): string {
  const name = (given ?? '')
    .replace(/^.*[\\/]/s, '')
    .replace(/\p{Cc}/gu, '')
    .trim();
  if (given && !(name && isStorable(name))) return 'file';
  return Array.from(name).slice(-200).join('');
}
