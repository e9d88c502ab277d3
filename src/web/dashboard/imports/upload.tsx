import { finished } from 'node:stream/promises';
import busboy from 'busboy';
import type { Request } from 'express';
import type { NewImport } from '../../../import-export/imports/imports.dto';
import { Malformed, TooLarge } from '../../../platform/errors/domain-errors';
import { allowUpload } from '../../../platform/hardening/slow-clients';
import { LIMITS } from '../../../platform/limits/limits';
import { DASHBOARD_LANGUAGES } from '../../../platform/messages/languages';
import { messagesIn } from '../../../platform/messages/messages';
import { MEBIBYTE } from '../../../platform/sizes';
import { isStorable } from '../../../platform/text/text.rules';
import { TextInput } from '../../components/fields';
import { Link } from '../../components/format';
import { Form } from '../../http/form';
import { useMessages } from '../../http/page-context';
import type { PageRequest } from '../../http/page-controller';
import { bytes } from './import-tables';

/** A file that a browser sends with a form, or a text that was typed instead. */
export interface ReceivedForm {
  form: Form;
  /** '' when there is neither. */
  fileName: string;
  /** A stream: the whole file is never in memory. */
  bytes: NewImport['bytes'];
}

/** Whether it is the name of a text that was pasted, in the language of its author. */
export const isPastedText = (fileName: string): boolean =>
  DASHBOARD_LANGUAGES.some((language) => fileName === messagesIn(language).t('import.pastedText'));

const PASTED = LIMITS.imports.pasted.value;

/**
 * Reads a multipart form with one file and a field `text`, of which one is enough. An upload that `take` refuses is
 * still read to its end (or to the end of the request's time): otherwise the browser shows a network error instead of
 * our message.
 * @throws Malformed (400) for another kind of form, or one that ends early
 */
export async function receiveUpload<T>(
  { request, messages }: Pick<PageRequest, 'request' | 'messages'>,
  take: (upload: ReceivedForm) => Promise<T>,
): Promise<T> {
  const parser = parserOf(request);
  let taken: Promise<T> | undefined;
  let text: string | undefined;
  let isCut = false;
  parser.on('field', (name, value, { valueTruncated }) => {
    if (name === 'text') [text, isCut] = [value, valueTruncated];
  });
  parser.on('file', (_, stream, { filename }) => {
    // The parser reports malformed forms as well.
    stream.on('error', () => undefined);
    // No file was chosen.
    if (!filename) return void stream.resume();
    // Not the stream's own iteration: leaving it early would destroy the stream, and the parser would wait for ever.
    const bytes = stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
    taken = take({ form: new Form(), fileName: nameOf(filename), bytes });
    // The await below reports its failure; this only waits for the end of reading.
    taken.catch(() => undefined).finally(() => stream.resume());
  });
  request.once('close', () => {
    if (!request.complete) parser.destroy(new Error('The connection was closed.'));
  });
  allowUpload(request);
  request.pipe(parser);
  try {
    await finished(parser, { readable: false });
  } catch {
    request.resume();
    await taken?.catch(() => undefined);
    throw new Malformed('The upload was incomplete. Send the file again.');
  }
  if (taken) return taken;
  if (text === undefined) throw new Malformed('The form has no file. Go back and choose one.');
  const form = new Form({ text });
  if (isCut)
    throw new TooLarge(`The text is longer than ${PASTED / MEBIBYTE} MiB. Save it as a file.`);
  const fileName = text.trim() ? messages.t('import.pastedText') : '';
  return take({ form, fileName, bytes: [Buffer.from(text)] });
}

function parserOf({ headers }: Request): busboy.Busboy {
  try {
    return busboy({
      headers,
      defParamCharset: 'utf8',
      limits: { files: 1, fields: 2, fieldSize: PASTED, parts: 4 },
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

/** The fields of that form. @param props `largest`: bytes */
export function UploadFields(props: { largest: number }) {
  const messages = useMessages();
  const { rich, t } = messages;
  return (
    <>
      <TextInput
        name="file"
        label={t('import.file')}
        type="file"
        data-largest={props.largest}
        data-too-large={t('upload.tooLarge', { size: bytes(props.largest, messages) })}
        help={
          <>
            {rich('upload.help', {
              size: bytes(props.largest, messages),
              sheet: (text) => <Link to="/dashboard/imports/template.csv">{text}</Link>,
              formats: (text) => <Link to="/docs/guides/import-export">{text}</Link>,
            })}
          </>
        }
      />
      <TextInput
        name="text"
        label={t('upload.paste')}
        rows={8}
        placeholder={t('upload.example')}
        help={t('upload.pasteHelp')}
      />
    </>
  );
}
