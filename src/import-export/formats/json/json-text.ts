import { type JSONPath, printParseErrorCode, visit } from 'jsonc-parser';
import { LIMITS } from '../../../platform/limits/limits';
import { FileError } from '../row';

/** A list whose elements may be questions or quizzes. */
export interface JsonList {
  /** As in `data.quizzes[0].questions`; empty if the file itself is the list. */
  path: string;
  line: number;
  /** The line in which each of its elements begins. */
  lines: number[];
  /** Whether an element is an object. */
  hasObjects: boolean;
}

/** What JSON is made of, as far as readers need it. */
export interface JsonOutline {
  /** Lists that no other list contains, in their order; of two with one path, the last is the one that counts. */
  lists: JsonList[];
  /** Also the lists of questions within them, by their path. */
  byPath: Map<string, JsonList>;
}

/** A question is at most six levels down. */
const DEEPEST = LIMITS.imports.jsonDepth.value;
/** Numbers, strings, lists, objects: `{},{},{}` would take forty times its size in memory. */
const MOST_VALUES = LIMITS.imports.jsonValues.value;
const LISTS_OF_DATA: readonly unknown[] = ['questions', 'quizzes', 'results'];

/**
 * Parses JSON. `jsonc-parser` finds the lines of lists and their elements, and of the first error.
 * @param line in which the text begins
 * @param isWhole whether the text is a file to its end: then an error at the end means that the file was cut off
 * @throws FileError
 */
export function parseJson(
  text: string,
  line: number,
  isWhole: boolean,
): { value: unknown; outline: JsonOutline } {
  const outline = outlineOf(text, line, isWhole);
  try {
    return { value: JSON.parse(text), outline };
  } catch {
    throw new FileError(line, 'The file is not JSON.');
  }
}

function outlineOf(text: string, first: number, isWhole: boolean): JsonOutline {
  const lists: JsonList[] = [];
  const byPath = new Map<string, JsonList>();
  /** An entry for each open object or list: the list, if the lines of its elements are needed. */
  const open: (JsonList | null)[] = [];
  let values = 0;
  const begin = (line: number) => {
    if (++values > MOST_VALUES) throw notJson(line, 'it holds too many values to be questions');
    open.at(-1)?.lines.push(line);
  };
  const enter = (line: number, list: JsonList | null) => {
    if (open.push(list) > DEEPEST)
      throw notJson(line, `it is nested more than ${DEEPEST} levels deep`);
  };
  const leave = () => void open.pop();
  visit(
    text,
    {
      onObjectBegin(_offset, _length, at) {
        begin(first + at);
        const parent = open.at(-1);
        if (parent) parent.hasObjects = true;
        enter(first + at, null);
      },
      onArrayBegin(_offset, _length, at, _character, pathOf) {
        begin(first + at);
        // Those of questions are at most as deep as `data.quizzes[0].questions`.
        const path = open.length <= 4 ? pathOf() : undefined;
        const isOuter = path !== undefined && isOuterList(path);
        const list =
          isOuter || path?.at(-1) === 'questions'
            ? { path: textOf(path), line: first + at, lines: [], hasObjects: false }
            : null;
        if (list) byPath.set(list.path, list);
        if (list && isOuter) lists.push(list);
        enter(first + at, list);
      },
      onLiteralValue: (_value, _offset, _length, at) => begin(first + at),
      onObjectEnd: leave,
      onArrayEnd: leave,
      onError(code, offset, length, at) {
        const found = text.slice(offset, offset + length);
        const name = printParseErrorCode(code);
        const isAtEnd = offset + length >= text.trimEnd().length && !/^[\]},:]$/.test(found);
        if (isAtEnd && open.length > 0)
          throw isWhole
            ? cutOff(first + lineOf(text))
            : notJson(first + at, 'it ends in the middle of a value');
        const shown = JSON.stringify(found.slice(0, 60));
        const expected = EXPECTED[name];
        throw notJson(first + at, expected ? `${shown} ${expected}` : `${shown} is not a value`);
      },
    },
    { disallowComments: true },
  );
  return { lists, byPath };
}

/** Where questions or quizzes are expected. */
function isOuterList(path: JSONPath): boolean {
  const [root, data, ...deeper] = path;
  if (typeof root === 'number' || deeper.length > 0) return false;
  return data === undefined ? root !== 'tags' : root === 'data' && LISTS_OF_DATA.includes(data);
}

const textOf = (path: JSONPath): string =>
  path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`))
    .join('')
    .replace(/^\./, '');

const lineOf = (text: string): number => text.match(/\r\n|\r|\n/g)?.length ?? 0;

const EXPECTED: Record<string, string> = {
  PropertyNameExpected: 'found where a name in quotes is expected',
  ValueExpected: 'found where a value is expected',
  ColonExpected: 'found where ":" is expected',
  CommaExpected: 'found where "," or the end of a list is expected',
  CloseBraceExpected: 'found where "," or "}" is expected',
  CloseBracketExpected: 'found where "," or "]" is expected',
  EndOfFileExpected: 'found after the end',
};

const notJson = (line: number, what: string): FileError =>
  new FileError(line, `Line ${line} is not JSON: ${what}. Fix it there, or export the file again.`);

const cutOff = (line: number): FileError =>
  new FileError(
    line,
    `The file ends in the middle, in line ${line}: it was cut off. Fetch it again.`,
  );
