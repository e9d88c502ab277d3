import busboy from 'busboy';
import type { Request } from 'express';
import { finished } from 'node:stream/promises';
import { Malformed } from '../../../platform/errors/domain-errors';
import { isUpload } from '../../../platform/http/request/body-time';
import { isStorable } from '../../../platform/text/text.rules';
import { Form } from '../../http/form';

/** A file as a browser sends it with a form. */
export interface Upload {
  /** The fields that stand before the file. */
  form: Form;
  /** '' when none was chosen. */
  fileName: string;
  /** As it comes: nothing holds the whole of it. */
  bytes: AsyncIterable<Uint8Array>;
}

/**
 * Reads a multipart form with one file, its last field. What `take` refuses is heard to its end all the same (or
 * to the end of the request's time): a browser that is cut off shows an error of its own and not our sentence.
 * @throws Malformed (400) for what is no such form, or ends before its end
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
    // What is wrong with the form the parser says, too.
    stream.on('error', () => undefined);
    // Not the stream's own iteration: who stops reading would destroy it, and the parser would wait for ever.
    const bytes = stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
    taken = take({ form: new Form({ ...fields }), fileName: nameOf(filename), bytes });
    // Its failure is told by the await below; here it is only the end of reading.
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

/** The last part of the name, at most 200 characters of it. */
function nameOf(given: string | undefined): string {
  const name = (given ?? '')
    .replace(/^.*[\\/]/s, '')
    .replace(/\p{Cc}/gu, '')
    .trim();
  if (given && !(name && isStorable(name))) return 'file';
  return Array.from(name).slice(-200).join('');
}
