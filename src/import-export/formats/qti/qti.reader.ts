import { posix } from 'node:path';
import { rowOf } from '../parsed-question';
import {
  type Bytes,
  collected,
  FileError,
  type FilePosition,
  type ImportRow,
  type QuizOfRow,
  quote,
  readable,
} from '../row';
import { isZip } from '../sniff-zip';
import { asUtf8, MEBIBYTE } from '../text/text-lines';
import { ZipArchive } from '../zip/zip-file';
import { all, first, parseQti, type QtiElement } from './qti-xml';
import { question1 } from './qti1-item';
import { question2 } from './qti2-item';

const MANIFEST = 'imsmanifest.xml';
const LARGEST = 16 * MEBIBYTE;

/**
 * Reads QTI 1.2, 2.0 to 2.2 and 3.0: a package with its manifest, or one XML file. Kinds of questions that have no
 * counterpart, and files that cannot be read, are errors of their rows. @throws FileError
 */
export async function* readQti(bytes: Bytes): AsyncGenerator<ImportRow> {
  for await (const chunk of bytes) {
    if (isZip(Buffer.from(chunk))) yield* packageRows(bytes);
    else {
      const root = await fileRoot(bytes);
      yield* rowsIn(root, '', {});
    }
    return;
  }
}

/** @throws FileError */
async function fileRoot(bytes: Bytes): Promise<QtiElement> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of asUtf8(bytes)) {
    if ((size += chunk.length) > LARGEST)
      throw new FileError(1, 'The file is larger than 16 MiB: split it, or send it as a package.');
    chunks.push(chunk);
  }
  try {
    return parseQti(Buffer.concat(chunks));
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new FileError(error.line, `The file cannot be read: ${error.message}.`);
  }
}

async function* packageRows(bytes: Bytes): AsyncGenerator<ImportRow> {
  const zip = await ZipArchive.open(bytes);
  try {
    const manifest = zip.names
      .filter((name) => posix.basename(name) === MANIFEST)
      .sort((a, b) => a.length - b.length)[0];
    if (manifest === undefined)
      throw new FileError(
        1,
        'The ZIP archive has no imsmanifest.xml, so it is no QTI package: unpack it, and import the files with questions.',
      );
    const read = async (name: string) => {
      // Before it is unpacked into memory.
      if (zip.sizeOf(name) > LARGEST) throw new FileError(1, 'it is larger than 16 MiB: split it');
      return parseQti(Buffer.concat(await collected(asUtf8(zip.read(name)))));
    };
    let files: string[];
    try {
      files = filesOf(await read(manifest), posix.dirname(manifest));
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      throw new FileError(1, `${quote(manifest)} cannot be read: ${error.message}.`);
    }
    const about: QuizOfPackage = {};
    for (const name of files) {
      const place = { line: 1, path: name };
      if (!zip.has(name)) {
        yield {
          ...place,
          error: `${quote(name)} is in the manifest and not in the package: export it again.`,
        };
        continue;
      }
      try {
        yield* rowsIn(await read(name), name, about);
      } catch (error) {
        if (!(error instanceof FileError)) throw error;
        yield {
          line: error.line,
          path: name,
          error: `${quote(name)} cannot be read: ${error.message}.`,
        };
      }
    }
  } finally {
    await zip.close();
  }
}

/** The XML files that the manifest names, tests before their items. */
function filesOf(manifest: QtiElement, folder: string): string[] {
  const found = new Map<string, boolean>();
  for (const resource of all(manifest, 'resource')) {
    const { type = '', href } = resource.attributes;
    if (/^webcontent$|associatedcontent|learning-application-resource/.test(type)) continue;
    // Canvas names the file in an element of its own.
    const file = href ?? first(resource, 'file')?.attributes.href;
    if (!file || !/\.(?:xml|qti)$/i.test(file)) continue;
    const path = posix.normalize(posix.join(folder, decoded(file)));
    found.set(path, /test|assessment_xml|assessment\.xml/.test(type) && !/item/.test(type));
  }
  return [...found.keys()].sort((a, b) => Number(found.get(b)) - Number(found.get(a)));
}

function decoded(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}

/** What a test of the package says of its items. */
interface QuizOfPackage {
  title?: string;
}

function* rowsIn(root: QtiElement, file: string, about: QuizOfPackage): Generator<ImportRow> {
  const path = (identifier: string | undefined) => [file, identifier].filter(Boolean).join(': ');
  if (root.name === 'assessmentTest') {
    about.title ??= root.attributes.title;
    return;
  }
  if (root.name === 'assessmentItem') {
    const { title } = about;
    const quiz = title ? { key: `qti:${title}`, title: title.slice(0, 200) } : undefined;
    yield itemRow({ line: 1, path: path(root.attributes.identifier) }, root, quiz, question2);
    return;
  }
  if (root.name !== 'questestinterop') {
    // Other XML of a package: rubrics, settings.
    if (!file)
      throw new FileError(
        1,
        `The file is XML and no QTI: its root is <${root.name}>, not <assessmentItem>, <qti-assessment-item> or <questestinterop>.`,
      );
    return;
  }
  const assessment = first(root, 'assessment');
  const title = assessment?.attributes.title;
  const quiz = title ? { key: `qti:${file}:${title}`, title: title.slice(0, 200) } : undefined;
  for (const item of all(root, 'item')) {
    const place = { line: item.line, path: path(item.attributes.ident) };
    yield itemRow(place, item, quiz, question1);
  }
}

function itemRow(
  place: FilePosition,
  item: QtiElement,
  quiz: QuizOfRow | undefined,
  read: typeof question1,
): ImportRow {
  return readable(place, () => {
    const notes = new Set<string>();
    const question = read(item, notes);
    return rowOf(place, question, { quiz, notes: [...notes], howToMark: 'give one the points' });
  });
}
