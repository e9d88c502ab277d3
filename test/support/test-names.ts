import ts from 'typescript';

const GROUPS = ['describe'];
const TESTS = ['it', 'test'];

/** The full names of a file's tests, groups first: `tags › asks for any of several`. Titles as they are written. */
export function testNames(source: string): string[] {
  const names: string[] = [];
  const visit = (node: ts.Node, groups: string[]): void => {
    const title = titleOf(node);
    if (title && TESTS.includes(title.of)) names.push([...groups, title.text].join(' › '));
    const within = title && GROUPS.includes(title.of) ? [...groups, title.text] : groups;
    node.forEachChild((child) => visit(child, within));
  };
  visit(ts.createSourceFile('a.spec.ts', source, ts.ScriptTarget.Latest), []);
  return names;
}

/** Of `it('…', …)`, `test.each(…)('…', …)` and the like. */
function titleOf(node: ts.Node): { of: string; text: string } | undefined {
  if (!ts.isCallExpression(node)) return undefined;
  const [title, run] = node.arguments;
  if (!title || !run || !ts.isStringLiteralLike(title)) return undefined;
  let callee: ts.Expression = node.expression;
  while (!ts.isIdentifier(callee)) {
    if (ts.isPropertyAccessExpression(callee) || ts.isCallExpression(callee))
      callee = callee.expression;
    else if (ts.isTaggedTemplateExpression(callee)) callee = callee.tag;
    else return undefined;
  }
  return { of: callee.text, text: title.text };
}
