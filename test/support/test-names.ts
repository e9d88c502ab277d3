import ts from 'typescript';

const GROUPS = ['describe'];
const TESTS = ['it', 'test'];

/** By source: several specs ask for the same files, most of them for each of many rows. */
const known = new Map<string, readonly string[]>();

/**
 * The full names of a file's tests that are not always skipped, groups first: `tags › asks for any of several`. Titles as
 * they are written. A test that is declared by a variable, `testConverter('…', …)`, is left out; a group that is adds no name.
 */
export function testNames(source: string): readonly string[] {
  let names = known.get(source);
  if (!names) known.set(source, (names = namesIn(source)));
  return names;
}

function namesIn(source: string): string[] {
  const names: string[] = [];
  const visit = (node: ts.Node, groups: string[]): void => {
    const title = titleOf(node);
    if (title?.of === 'skip') return;
    if (title && TESTS.includes(title.of)) names.push([...groups, title.text].join(' › '));
    const within = title && GROUPS.includes(title.of) ? [...groups, title.text] : groups;
    node.forEachChild((child) => visit(child, within));
  };
  visit(ts.createSourceFile('a.spec.ts', source, ts.ScriptTarget.Latest), []);
  return names;
}

/** Of `it('…', …)`, `test.each(…)('…', …)`, `(isInstalled ? it : it.skip)('…', …)` and the like. */
function titleOf(node: ts.Node): { of: string; text: string } | undefined {
  if (!ts.isCallExpression(node)) return undefined;
  const [title, run] = node.arguments;
  if (!title || !run || !ts.isStringLiteralLike(title)) return undefined;
  const of = functionOf(node.expression);
  return of === undefined ? undefined : { of, text: title.text };
}

/** `it` of `it.each(…)`, `skip` of `it.skip`; of a condition's two what is not skipped. */
function functionOf(callee: ts.Expression): string | undefined {
  if (ts.isIdentifier(callee)) return callee.text;
  if (ts.isPropertyAccessExpression(callee))
    return callee.name.text === 'skip' ? 'skip' : functionOf(callee.expression);
  if (ts.isCallExpression(callee) || ts.isParenthesizedExpression(callee))
    return functionOf(callee.expression);
  if (ts.isTaggedTemplateExpression(callee)) return functionOf(callee.tag);
  if (!ts.isConditionalExpression(callee)) return undefined;
  return [callee.whenTrue, callee.whenFalse].map(functionOf).find((of) => of !== 'skip');
}
