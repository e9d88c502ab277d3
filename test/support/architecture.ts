import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative, sep } from 'node:path';
import ts from 'typescript';

/** A file of src/: its path below src, with slashes and always as `.ts`, and its text. */
export interface Source {
  path: string;
  text: string;
  /** Whether the file is a `.tsx`. */
  tsx?: boolean;
}

/** Which modules a module may import, and which of its files other modules may import. */
export interface Rules {
  mayImport: Record<string, readonly string[] | 'everything'>;
  /** Files of every module that others may import, by path without `.ts`. */
  exported: RegExp;
  /** Further files of a module that others may import; of a module that is absent, all files. */
  exports: Record<string, readonly string[]>;
  /** Files that import neither Nest nor TypeORM. */
  pure: RegExp;
}

/** Entry points: they import everything, and only `bin` imports `app`. */
const ENTRY_POINTS = ['bin', 'app'];

/** Every file of a folder but its specs. */
export function readSources(folder: string): Source[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(
      (entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !/\.spec\.tsx?$/.test(entry.name),
    )
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({
      path: relative(folder, file)
        .split(sep)
        .join('/')
        .replace(/\.tsx$/, '.ts'),
      text: readFileSync(file, 'utf8'),
      tsx: file.endsWith('.tsx'),
    }));
}

/** What a file imports, re-exports or requires: own files by their path (`catalog/quiz.entity.ts`), packages by name. */
export function importsOf({ path, text }: Source): string[] {
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => {
    if (!fileName.startsWith('.')) return fileName;
    const target = posix.join(dirname(path), fileName);
    return /\.(json|js|mjs)$/.test(target) ? target : `${target}.ts`;
  });
}

const moduleOf = (path: string) => path.split('/')[0] ?? '';
const isOwn = (target: string) => /\.(ts|json)$/.test(target);

/** Imports across modules that the rules do not allow. */
export function boundaryViolations(
  sources: Source[],
  { mayImport, exported, exports }: Rules,
): string[] {
  return sources.flatMap((source) => {
    const from = moduleOf(source.path);
    const allowed = ENTRY_POINTS.includes(from) ? 'everything' : mayImport[from];
    if (!allowed) return [`${source.path}: the module ${from} is not in the table`];
    return importsOf(source)
      .filter(isOwn)
      .filter((target) => moduleOf(target) !== from)
      .flatMap((target) => {
        const to = moduleOf(target);
        if (ENTRY_POINTS.includes(to))
          return from === 'bin' && to === 'app'
            ? []
            : [`${source.path} imports ${target}, an entry point`];
        if (allowed !== 'everything' && !allowed.includes(to))
          return [`${source.path} imports ${target}, but ${from} may not import ${to}`];
        const file = target.slice(to.length + 1).replace(/\.ts$/, '');
        return !ENTRY_POINTS.includes(from) &&
          exports[to] &&
          !exported.test(file) &&
          !exports[to].includes(file)
          ? [`${source.path} imports ${target}, which ${to} does not export`]
          : [];
      });
  });
}

/** Pure files that reach Nest or TypeORM, by themselves or through what they import. */
export function impureFiles(sources: Source[], { pure }: Rules): string[] {
  const imports = new Map(sources.map((source) => [source.path, importsOf(source)]));
  const reaches = (path: string, seen = new Set<string>()): string | undefined => {
    if (seen.has(path)) return undefined;
    seen.add(path);
    for (const target of imports.get(path) ?? []) {
      if (/^(@nestjs\/|typeorm$|typeorm\/)/.test(target)) return `${path} imports ${target}`;
      const further = isOwn(target) ? reaches(target, seen) : undefined;
      if (further) return further;
    }
    return undefined;
  };
  return sources
    .filter(({ path }) => pure.test(path))
    .flatMap(({ path }) => {
      const impurity = reaches(path);
      return impurity ? [`${path} must be pure, but ${impurity}`] : [];
    });
}

/**
 * Import cycles as `a.ts → b.ts → a.ts`: at least one where there are any, but not all of those that share a file.
 * Imports of types count too.
 */
export function cycles(sources: Source[]): string[] {
  const imports = new Map(sources.map((source) => [source.path, importsOf(source).filter(isOwn)]));
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, trail: string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      found.push([...trail.slice(start), path].join(' → '));
      return;
    }
    if (done.has(path)) return;
    for (const target of imports.get(path) ?? []) visit(target, [...trail, path]);
    done.add(path);
  };
  for (const { path } of sources) visit(path, []);
  return found;
}

/**
 * Folders that import each other in a circle, each circle as its sorted folders. Imports between a folder and one inside
 * it do not count: the module file of a folder names what is below it, and that uses what it shares.
 */
export function folderCycles(sources: Source[]): string[] {
  const isWithin = (one: string, other: string) => `${one}/`.startsWith(`${other}/`);
  const imports = new Map<string, Set<string>>();
  for (const source of sources) {
    const from = dirname(source.path);
    const targets = importsOf(source)
      .filter(isOwn)
      .map((target) => dirname(target));
    const others = targets.filter((to) => !isWithin(from, to) && !isWithin(to, from));
    imports.set(from, new Set([...(imports.get(from) ?? []), ...others]));
  }
  const reachedFrom = (start: string): Set<string> => {
    const reached = new Set<string>();
    const visit = (folder: string) => {
      for (const to of imports.get(folder) ?? [])
        if (!reached.has(to)) {
          reached.add(to);
          visit(to);
        }
    };
    visit(start);
    return reached;
  };
  const reached = new Map([...imports.keys()].map((folder) => [folder, reachedFrom(folder)]));
  const circles = [...reached]
    .filter(([folder, others]) => others.has(folder))
    .map(([folder, others]) => [...others].filter((other) => reached.get(other)?.has(folder)));
  return [...new Set(circles.map((circle) => circle.sort().join(' ↔ ')))].sort();
}

/** The tables that a file names in SQL. Names that are no tables are left out by the caller. */
const tablesIn = ({ text }: Source): { table: string; isWritten: boolean }[] =>
  [
    ...text.matchAll(
      /\b(DELETE FROM|INTO|UPDATE|LOCK TABLE|TRUNCATE|FROM|JOIN|USING|(?<=\bFROM [a-zA-Z_ ,]+),)\s+(?:ONLY\s+)?([a-z_]+)\b/g,
    ),
  ].map(([, verb, table]) => ({
    table: table ?? '',
    isWritten: !/^(FROM|JOIN|USING|,)$/.test(verb ?? ''),
  }));

/** The modules that may write a table in SQL, and those that may only read it. */
export interface TableUse {
  writes: readonly string[];
  reads?: readonly string[];
}

/**
 * Tables that a module reads or writes in SQL although they belong to others.
 * @param uses of every table of the schema
 */
export function tableViolations(
  sources: Source[],
  tables: readonly string[],
  uses: Record<string, TableUse>,
): string[] {
  const unowned = tables.filter((table) => !uses[table]);
  const owned = tables.filter((table) => uses[table]);
  return [
    ...unowned.map((table) => `${table} belongs to no module`),
    ...sources.flatMap((source) => {
      const by = moduleOf(source.path);
      return tablesIn(source)
        .filter(({ table, isWritten }) => {
          const { writes, reads = [] } = uses[table] ?? { writes: [by] };
          return (
            owned.includes(table) && !(isWritten ? writes : [...writes, ...reads]).includes(by)
          );
        })
        .map(
          ({ table, isWritten }) =>
            `${source.path} ${isWritten ? 'writes' : 'reads'} ${table}, a table of ${uses[table]?.writes.join(' and ')}`,
        );
    }),
  ];
}

/** Listeners outside `x.listener.ts`, and files other than a module's that import one: nobody calls a listener. */
export function listenerViolations(sources: Source[]): string[] {
  const isListener = (path: string) => path.endsWith('.listener.ts');
  return sources.flatMap((source) => [
    ...(/^\s*@OnDomainEvent\(/m.test(source.text) && !isListener(source.path)
      ? [`${source.path} has a listener: move it to an x.listener.ts`]
      : []),
    ...importsOf(source)
      .filter((target) => isListener(target) && !source.path.endsWith('.module.ts'))
      .map((target) => `${source.path} imports ${target}`),
  ]);
}

/** Barrels, default exports, `export *`, and readers of the environment outside platform/config. */
export function styleViolations(sources: Source[]): string[] {
  return sources.flatMap(({ path, text, tsx }) => {
    const violations: string[] = [];
    if (/(^|\/)index\.ts$/.test(path)) violations.push(`${path} is a barrel`);
    const visit = (node: ts.Node): void => {
      const isDefault =
        ts.isExportAssignment(node) ||
        (ts.canHaveModifiers(node) &&
          ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.DefaultKeyword));
      // BullMQ takes the default export of a sandboxed processor.
      if (isDefault && !path.endsWith('import.processor.ts'))
        violations.push(`${path} has a default export`);
      if (ts.isExportDeclaration(node) && !node.exportClause)
        violations.push(`${path} exports everything of another file`);
      if (readsEnvironment(node) && !path.startsWith('platform/config/'))
        violations.push(`${path} reads process.env`);
      ts.forEachChild(node, visit);
    };
    if (!MAY_VIOLATE.test(text)) return violations;
    const kind = tsx ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
    visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind));
    return violations;
  });
}

/** Words without which a file breaks no rule of style: only the others are parsed. */
const MAY_VIOLATE = /\b(?:default|env|process)\b|\bexport\b(?:\s+type)?[^\w{]*[*=]/;

function readsEnvironment(node: ts.Node): boolean {
  if (ts.isImportDeclaration(node))
    return /^['"](node:)?process['"]$/.test(node.moduleSpecifier.getText());
  const name = ts.isPropertyAccessExpression(node)
    ? node.name.text
    : ts.isElementAccessExpression(node) && ts.isStringLiteral(node.argumentExpression)
      ? node.argumentExpression.text
      : undefined;
  return (
    name === 'env' &&
    /(^|\.)process$/.test((node as ts.PropertyAccessExpression).expression.getText())
  );
}
