import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** A sentence in the code of a service, for people. */
export interface Sentence {
  /** Below src. */
  file: string;
  /** With VALUE for each value that is inserted. */
  text: string;
}

const source = join(__dirname, '../../src');

export const VALUE = '\uFFFC';

/** Properties with what a reader is told, and others of the same objects, which only the documentation shows. */
const SAID = /^(?:message|error|note)$/;
const DOCUMENTED = /^(?:title|fix|name|description|summary|examples?|help)$/;
/** Calls that make an error. */
const MAKES = /^(?:invalid|fieldError)$/;

/** The text of a literal or of a template. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (!ts.isTemplateExpression(node)) return undefined;
  // Of `${failed ? 'fail' : 'work'}` the first word.
  const value = ({ expression }: ts.TemplateSpan) =>
    (ts.isConditionalExpression(expression) && textOf(expression.whenTrue)) || VALUE;
  return (
    node.head.text + node.templateSpans.map((span) => value(span) + span.literal.text).join('')
  );
}

const nameOf = (node: ts.Expression): string =>
  ts.isIdentifier(node) ? node.text : ts.isPropertyAccessExpression(node) ? node.name.text : '';

/** Whether what stands at this node is told to somebody: it is thrown, part of an error, or a constant of a module. */
function isSaid(node: ts.Node): boolean {
  for (let it = node.parent; !ts.isSourceFile(it); it = it.parent) {
    if (ts.isDecorator(it) || ts.isTaggedTemplateExpression(it)) return false;
    if (ts.isNewExpression(it)) return nameOf(it.expression) !== 'Error';
    if (ts.isThrowStatement(it)) return true;
    if (ts.isCallExpression(it) && MAKES.test(nameOf(it.expression))) return true;
    if (ts.isPropertyAssignment(it)) {
      if (DOCUMENTED.test(it.name.getText())) return false;
      if (SAID.test(it.name.getText())) return true;
    }
    // Such as NO_PASSWORD_LINK.
    if (ts.isVariableDeclaration(it) && /^[A-Z][A-Z_\d]*$/.test(it.name.getText())) return true;
  }
  // Notes and problems are returned, and given to functions: what is for people is a whole sentence.
  // Errors of rows begin small, and say after a colon what to do.
  const text = textOf(node) ?? '';
  return /^[A-Z"“\uFFFC].* .*\.$/.test(text) || /^[a-z]+ .* .*: .* /.test(text);
}

/** Three words or more. */
const isSentence = (text: string) => /\p{L}{2,}(?: \S+){2,}/u.test(text);

/** All sentences of a file, whoever is told. */
export const textsIn = (file: string): Sentence[] => found(file, () => true);

/** The sentences of the services in these folders of src, or in single files. */
export function sentencesIn(...folders: string[]): Sentence[] {
  return folders.flatMap((folder) =>
    readdirSync(join(source, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !/\.(?:spec|queries|document)\.ts$/.test(file))
      .map((name) => join(folder, name))
      .flatMap((file) => found(file, isSaid)),
  );
}

function found(file: string, isMeant: (node: ts.Node) => boolean): Sentence[] {
  const code = readFileSync(join(source, file), 'utf8');
  const sentences: Sentence[] = [];
  const visit = (node: ts.Node): void => {
    const text = textOf(node);
    if (text !== undefined && isSentence(text) && isMeant(node)) sentences.push({ file, text });
    node.forEachChild(visit);
  };
  visit(ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true));
  return sentences;
}
