import { posix } from 'node:path';
import { LIMITS } from '../../../platform/limits/limits';
import { MEBIBYTE } from '../../../platform/sizes';
import { canonicalLanguage } from '../../../platform/text/language.rules';
import { firstCodePoints } from '../../../platform/text/text.rules';
import { quizOf, quizOfMetadata } from '../metadata';
import { type ParsedQuestion, rowOf } from '../parsed-question';
import {
  type Bytes,
  collected,
  FileError,
  type FilePosition,
  headOf,
  type ImportRow,
  type QuizOfRow,
  quote,
  readable,
} from '../row';
import { isZip } from '../sniff-zip';
import { asUtf8 } from '../text/text-lines';
import { ZipArchive } from '../zip/zip-file';
import {
  all,
  elementsIn,
  first,
  HINT,
  LARGEST,
  parseQti,
  type QtiElement,
  textIn,
  tooLarge,
} from './qti-xml';
import { question1 } from './qti1-item';
import { type ItemPictures, question2 } from './qti2-item';

const MANIFEST = 'imsmanifest.xml';
const UNMARKED = 'no answer is marked as correct: give one the points';

/**
 * Reads QTI 1.2, 2.0 to 2.2 and 3.0: a package with its manifest, or one XML file. Kinds of questions that have no
 * counterpart, and files that cannot be read, are errors of their rows. @throws FileError
 */
export async function* readQti(bytes: Bytes): AsyncGenerator<ImportRow> {
  if (isZip(await headOf(bytes, 4))) yield* packageRows(bytes);
  else yield* rowsIn(await fileRoot(bytes), '', new Tests());
}

/** @throws FileError */
async function fileRoot(bytes: Bytes): Promise<QtiElement> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of asUtf8(bytes)) {
    if ((size += chunk.length) > LARGEST)
      throw new FileError(
        1,
        `The file is larger than ${LARGEST / MEBIBYTE} MiB: split it, or send it as a package.`,
      );
    chunks.push(chunk);
  }
  try {
    return parseQti(Buffer.concat(chunks));
  } catch (error) {
    if (!(error instanceof FileError)) throw error;
    throw new FileError(error.line, `The file cannot be read: ${reasonIn(error)}.`);
  }
}

/** The errors of QTI are fragments (`it is empty`), those of texts and archives sentences. */
const reasonIn = ({ message }: FileError) =>
  message.charAt(0).toLowerCase() + message.slice(1).replace(/\.$/, '');

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
      if (zip.sizeOf(name) > LARGEST) throw tooLarge();
      return parseQti(Buffer.concat(await collected(asUtf8(zip.read(name)))));
    };
    let files: FilesOfPackage;
    try {
      files = filesOf(await read(manifest), posix.dirname(manifest));
    } catch (error) {
      if (!(error instanceof FileError)) throw error;
      throw new FileError(1, `${quote(manifest)} cannot be read: ${reasonIn(error)}.`);
    }
    const tests = new Tests();
    const rowsOf = async function* (name: string, take: (root: QtiElement) => AsyncRows) {
      const place = { line: 1, path: name };
      if (!zip.has(name)) {
        const error = `${quote(name)} is named in the package and not in it: export it again.`;
        yield { ...place, error };
        return;
      }
      try {
        yield* take(await read(name));
      } catch (error) {
        if (!(error instanceof FileError)) throw error;
        const message = `${quote(name)} cannot be read: ${reasonIn(error)}.`;
        yield { line: error.line, path: name, error: message };
      }
    };
    for (const name of files.tests)
      yield* rowsOf(name, async function* (root) {
        if (root.name === 'assessmentTest') tests.add(root, posix.dirname(name));
        else yield* rowsIn(root, name, tests, await picturesIn(zip, root, name));
      });
    for (const name of tests.inOrder(files.others))
      yield* rowsOf(name, async function* (root) {
        yield* rowsIn(root, name, tests, await picturesIn(zip, root, name));
      });
  } finally {
    await zip.close();
  }
}

type AsyncRows = AsyncGenerator<ImportRow>;

interface FilesOfPackage {
  tests: string[];
  /** Items and assessments. */
  others: string[];
}

/** The XML files that the manifest names. */
function filesOf(manifest: QtiElement, folder: string): FilesOfPackage {
  const [tests, others] = [new Set<string>(), new Set<string>()];
  for (const resource of all(manifest, 'resource')) {
    const { type = '', href } = resource.attributes;
    if (/^webcontent$|associatedcontent|learning-application-resource/.test(type)) continue;
    // Canvas names the file in an element of its own.
    const file = href ?? first(resource, 'file')?.attributes.href;
    if (!file || !/\.(?:xml|qti)$/i.test(file)) continue;
    const isTest = /test|assessment_xml|assessment\.xml/.test(type) && !/item/.test(type);
    (isTest ? tests : others).add(pathIn(folder, file));
  }
  for (const name of tests) others.delete(name);
  return { tests: [...tests], others: [...others] };
}

const pathIn = (folder: string, href: string): string =>
  posix.normalize(posix.join(folder, decoded(href)));

function decoded(href: string): string {
  try {
    return decodeURIComponent(href);
  } catch {
    return href;
  }
}

/** What the tests of a package say of its items. */
class Tests {
  private readonly quizzes: QuizOfRow[] = [];
  private readonly byFile = new Map<string, QuizOfRow | undefined>();

  add(test: QtiElement, folder: string): void {
    const quiz = quizOfTest(test, `qti:${this.quizzes.length}`);
    if (quiz) this.quizzes.push(quiz);
    for (const { attributes } of all(test, 'assessmentItemRef')) {
      const file = pathIn(folder, attributes.href ?? '');
      if (attributes.href && !this.byFile.has(file)) this.byFile.set(file, quiz);
    }
  }

  /** Of an item that no test names: those of Moodle's plug-ins. */
  quizOf = (file: string): QuizOfRow | undefined => this.byFile.get(file) ?? this.quizzes[0];

  /** The items in the order of the tests, also those that no manifest names, and then others. */
  inOrder = (files: readonly string[]): string[] => [...new Set([...this.byFile.keys(), ...files])];
}

const quizTitle = (title: string): string => firstCodePoints(title, LIMITS.content.quizTitle.value);

/** The title and the rules of play of a test. */
function quizOfTest(test: QtiElement, key: string): QuizOfRow | undefined {
  const own = quizOfMetadata(textIn(first(test, HINT)), key);
  if (own) return own;
  const { title } = test.attributes;
  if (!title) return undefined;
  const limit = elementsIn(test).find(({ name }) => name === 'timeLimits');
  const timeLimit = Number(limit?.attributes.maxTime);
  return quizOf({ title: quizTitle(title), timeLimit }, key);
}

const PICTURE = /\.(?:png|jpe?g|gif|webp|avif)$/i;

/** The pictures that an item of a package shows. */
async function picturesIn(zip: ZipArchive, item: QtiElement, file: string): Promise<ItemPictures> {
  const pictures = new Map<string, string>();
  let size = 0;
  for (const { attributes } of all(item, 'img')) {
    const src = attributes.src ?? '';
    const name = pathIn(posix.dirname(file), src);
    if (pictures.has(src) || !PICTURE.test(name) || !zip.has(name)) continue;
    if ((size += zip.sizeOf(name)) > LARGEST)
      throw new FileError(
        1,
        `its pictures are larger than ${LARGEST / MEBIBYTE} MiB: make them smaller`,
      );
    const bytes = Buffer.concat(await collected(zip.read(name)));
    pictures.set(src, `data:image/file;base64,${bytes.toString('base64')}`);
  }
  return pictures;
}

function* rowsIn(
  root: QtiElement,
  file: string,
  tests: Tests,
  pictures?: ItemPictures,
): Generator<ImportRow> {
  const path = (identifier: string | undefined) => [file, identifier].filter(Boolean).join(': ');
  if (root.name === 'assessmentItem') {
    const place = { line: 1, path: path(root.attributes.identifier) };
    const quiz = tests.quizOf(file);
    // Of 2.0 to 3.0 only items have a language.
    const language = canonicalLanguage(root.attributes.lang ?? '') ?? undefined;
    const spoken = quiz && language && !quiz.language ? { ...quiz, language } : quiz;
    yield itemRow(place, spoken, (notes) => question2(root, notes, pictures));
    return;
  }
  if (root.name !== 'questestinterop') {
    // Other XML of a package: rubrics, settings.
    if (!file)
      throw new FileError(
        1,
        `The file is XML and no QTI: its root is <${root.name.slice(0, 60)}>, not <assessmentItem>, <qti-assessment-item> or <questestinterop>.`,
      );
    return;
  }
  const assessment = first(root, 'assessment');
  const title = assessment?.attributes.title;
  const quiz = title ? { key: `qti:${file}:${title}`, title: quizTitle(title) } : undefined;
  for (const item of all(root, 'item')) {
    const place = { line: item.line, path: path(item.attributes.ident) };
    yield itemRow(place, quiz, (notes) => question1(item, notes));
  }
}

function itemRow(
  place: FilePosition,
  quiz: QuizOfRow | undefined,
  read: (notes: Set<string>) => ParsedQuestion,
): ImportRow {
  return readable(place, () => {
    const notes = new Set<string>();
    const question = read(notes);
    return rowOf(place, question, { quiz, notes: [...notes], unmarked: UNMARKED });
  });
}
