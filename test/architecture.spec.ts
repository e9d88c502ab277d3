import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  boundaryViolations,
  cycles,
  folderCycles,
  importsOf,
  impureFiles,
  listenerViolations,
  readSources,
  type Rules,
  styleViolations,
  type TableUse,
  tableViolations,
} from './support/architecture';

/** Which module may import which. `bin` and `app`, the entry points, import everything, and nobody imports them. */
const RULES: Rules = {
  mayImport: {
    platform: [],
    events: ['platform'],
    access: ['platform', 'events'],
    media: ['platform', 'events', 'access'],
    catalog: ['platform', 'events', 'access', 'media'],
    authoring: ['platform', 'events', 'access', 'media', 'catalog'],
    play: ['platform', 'events', 'access', 'media', 'catalog'],
    webhooks: ['platform', 'events', 'access'],
    seed: ['platform', 'access', 'catalog', 'authoring'],
    'import-export': ['platform', 'events', 'access', 'media', 'catalog', 'authoring', 'play'],
    web: 'everything',
    cli: 'everything',
    mcp: 'everything',
  },
  exported: /\.(module|service|entity|dto)$/,
  // Everybody may use every file of platform.
  exports: {
    // Only emitting writes the outbox.
    events: ['domain-events', 'event-map'],
    access: [
      'api-keys/api-key.guard',
      'api-keys/api-key.rules',
      'api-keys/caller',
      'api-keys/checks-access.decorator',
      'api-keys/current-caller.decorator',
      'api-keys/key-scope.decorator',
      'api-keys/plan.guard',
      'accounts/scope.rules',
      'accounts/account-list.queries',
      'administration/account-content',
      'administration/account-version.rules',
      'rate-limit/attempt-lookup',
      'audit/actor',
      'audit/audit-log',
      'accounts/built-in-accounts',
      'accounts/content-bytes.queries',
      'accounts/credentials.rules',
      'accounts/plan.rules',
    ],
    media: ['archived-pictures.queries', 'media.queries', 'references.rules'],
    catalog: [
      'fields.queries',
      'rendering/question-html',
      'rendering/rendered-texts',
      'visibility.queries',
      'vocabulary',
      'quizzes/archived-quizzes.queries',
    ],
    authoring: [
      'taxonomy/taxonomy.rules',
      'questions/markdown.rules',
      'questions/question.rules',
      'review/live-quiz.rules',
      'review/quiz-changes.rules',
    ],
    play: [
      'archive/results-export',
      'archive/results-import',
      'archive/results-lines.rules',
      'attempts/attempt.rules',
      'attempts/visitor.rules',
      'regrade/key-change.rules',
      'results/reports.queries',
      'results/reports.rules',
      'results/item-analysis.rules',
      'results/results-csv',
    ],
    webhooks: [
      // `quizctl webhooks listen` is a receiver and checks signatures.
      'deliveries/signature',
      'deliveries/curl',
      'deliveries/delivery.rules',
      'deliveries/workers.queries',
      'endpoints/endpoint.rules',
      'events/event-descriptions',
    ],
    'import-export': [
      'exports/backup',
      'formats/formats',
      'formats/question-fields',
      'imports/import.queries',
      'imports/import.rules',
    ],
    seed: [],
    web: [],
    cli: [],
    mcp: [],
  },
  pure: /\.rules\.ts$|\/signature\.ts$/,
};

/** Which modules may write a table in SQL. Why several share one: docs/adr/0023. */
const WRITERS = {
  access: 'accounts api_keys sessions notices attempt_limits audit_entries',
  media: 'media',
  catalog: 'categories question_kinds quiz_tags uncounted_plays',
  authoring: 'approved_versions question_search quiz_search topics',
  'authoring catalog': 'quizzes questions catalog_counts',
  play: 'quiz_links quiz_snapshots quiz_attempts quiz_answers leaderboard_entries quiz_results question_results question_flags question_reports quiz_regrades',
  webhooks: 'webhook_endpoints webhook_deliveries webhook_attempts webhook_workers',
  'import-export':
    'imports import_groups import_chunks import_quizzes import_report_entries import_questions',
  'events webhooks': 'outbox_events',
  platform: 'idempotent_responses schema_migrations',
};

/** Which further modules may read it. */
const READERS: Record<string, readonly string[]> = {
  accounts: ['media', 'catalog', 'webhooks'],
  question_search: ['catalog'],
  approved_versions: ['media'],
  questions: ['media'],
  quiz_search: ['catalog'],
  topics: ['catalog'],
  quizzes: ['access', 'play'],
  quiz_snapshots: ['media'],
  webhook_endpoints: ['access'],
};

const TABLES: Record<string, TableUse> = Object.fromEntries(
  Object.entries(WRITERS).flatMap(([modules, tables]) =>
    tables
      .split(' ')
      .map((table) => [table, { writes: modules.split(' '), reads: READERS[table] ?? [] }]),
  ),
);

describe('the source tree', () => {
  const sources = readSources(join(__dirname, '../src'));

  it('the architecture check reads every source file', () => {
    expect(sources.length).toBeGreaterThan(600);
    const paths = sources.map(({ path }) => path);
    expect(paths).toContain('access/accounts/plan.rules.ts');
    // A .tsx file.
    expect(paths).toContain('web/docs/code.ts');
  });

  it('every import follows the module dependency rules', () => {
    expect(boundaryViolations(sources, RULES)).toEqual([]);
  });

  it('every file that a module exports is imported by another module', () => {
    const moduleOf = (path: string) => path.split('/')[0];
    const imported = sources
      .filter(({ path }) => !/^(bin|app)\//.test(path))
      .flatMap((source) =>
        importsOf(source).filter((it) => moduleOf(it) !== moduleOf(source.path)),
      );
    const exported = Object.entries(RULES.exports).flatMap(([module, files]) =>
      files.map((file) => `${module}/${file}.ts`),
    );
    expect(exported.filter((file) => !imported.includes(file))).toEqual([]);
  });

  it('SQL reads and writes only tables of its own module or shared ones', () => {
    const schema = readFileSync(join(__dirname, '../docs/schema.sql'), 'utf8');
    const tables = [...schema.matchAll(/^CREATE (?:TABLE|VIEW) (\w+)/gm)].map((found) => found[1]!);
    expect(tables.length).toBeGreaterThan(30);
    expect(tableViolations(sources, tables, TABLES)).toEqual([]);
  });

  it('modules react to each other in listeners, which nobody else calls', () => {
    expect(sources.filter(({ path }) => path.endsWith('.listener.ts')).length).toBeGreaterThan(3);
    expect(listenerViolations(sources)).toEqual([]);
  });

  it('pure files import neither Nest nor TypeORM', () => {
    expect(impureFiles(sources, RULES)).toEqual([]);
  });

  it('imports every library that the product is to be built on', () => {
    const imported = new Set(sources.flatMap(importsOf));
    const chosen =
      '@nestjs/platform-express @nestjs/throttler @nestjs/event-emitter typeorm pg class-validator class-transformer bullmq ioredis';
    expect(chosen.split(' ').filter((library) => !imported.has(library))).toEqual([]);
  });

  it('of the development dependencies the sources load only highlight.js, which the build copies, and types', () => {
    const { dependencies } = JSON.parse(
      readFileSync(join(__dirname, '../package.json'), 'utf8'),
    ) as { dependencies: object };
    const packages = sources
      .flatMap(importsOf)
      .filter((name) => !/^#|^node:|\.(ts|json|js|mjs)$/.test(name))
      .map((name) => /^(@[^/]+\/)?[^/]+/.exec(name)![0]);
    const others = new Set(packages.filter((name) => !Object.hasOwn(dependencies, name)));
    const types = ['@nestjs/swagger', 'express-serve-static-core'];
    expect([...others].sort()).toEqual([...types, 'highlight.js']);
    const loadsSwagger =
      /^(?:import|export) (?!type )[^;]*'@nestjs\/swagger'|(?:import|require)\('@nestjs\/swagger/m;
    const loading = sources.filter(({ text }) => loadsSwagger.test(text)).map(({ path }) => path);
    expect(loading).toEqual([]);
  });

  it('the source tree has no import cycles', () => {
    expect(cycles(sources)).toEqual([]);
  });

  it('folders do not import each other in circles', () => {
    expect(folderCycles(sources)).toEqual([]);
  });

  it('no file is a barrel, exports a default or reads the environment outside platform/config', () => {
    expect(styleViolations(sources)).toEqual([]);
  });
});

describe('the architecture check', () => {
  const rules: Rules = {
    mayImport: {
      platform: [],
      access: ['platform'],
      catalog: ['platform', 'access'],
      cli: 'everything',
    },
    exported: /\.module$/,
    exports: { access: ['caller'] },
    pure: /\.rules\.ts$/,
  };
  const source = (path: string, ...lines: string[]) => ({ path, text: lines.join('\n') });

  it('the architecture check finds every form of import', () => {
    const text = [
      `import { a } from './a';`,
      `import type { B } from '../access/b.entity';`,
      `import '../platform/c';`,
      `export { d } from './d';`,
      `const e = import('./e');`,
      `const f = require('./f');`,
      `import data from './g.json';`,
      `import { Injectable } from '@nestjs/common';`,
      `// import './not-this'`,
    ];
    expect(importsOf(source('catalog/x.ts', ...text)).sort()).toEqual(
      [
        '@nestjs/common',
        'access/b.entity.ts',
        'catalog/a.ts',
        'catalog/d.ts',
        'catalog/e.ts',
        'catalog/f.ts',
        'catalog/g.json',
        'platform/c.ts',
      ].sort(),
    );
  });

  it.each([
    ['a module that the rules do not allow', 'access/x.ts', '../catalog/y'],
    ['anything but npm from platform', 'platform/deep/x.ts', '../../access/access.module'],
    ['a file that the module does not export', 'catalog/x.ts', '../access/api-key.rules'],
    [
      'a file that the module does not export, from a sub-folder',
      'catalog/deep/x.ts',
      '../../access/deep/caller',
    ],
    ['a file that the module does not export into cli', 'cli/x.ts', '../access/key-use'],
    ['an entry point', 'cli/x.ts', '../app/configure'],
    ['any file into a module without a rule', 'news/x.ts', '../platform/clock'],
  ])('the architecture check refuses an import of %s', (_, path, target) => {
    expect(
      boundaryViolations([source(path, `import { y } from '${target}';`)], rules),
    ).toHaveLength(1);
  });

  it.each([
    ['catalog/x.ts', '../access/access.module'],
    ['catalog/x.ts', '../access/caller'],
    ['catalog/x.ts', '../platform/http/anything'],
    ['catalog/x.ts', './anything'],
    ['app/x.ts', '../access/api-key.rules'],
    ['bin/x.ts', '../app/start-api'],
    ['platform/x.ts', '@nestjs/common'],
  ])('the architecture check allows %s to import %s', (path, target) => {
    expect(boundaryViolations([source(path, `import { y } from '${target}';`)], rules)).toEqual([]);
  });

  it('the architecture check finds a pure file that imports Nest indirectly', () => {
    const sources = [
      source('catalog/a.rules.ts', `import { b } from './b';`),
      source('catalog/b.ts', `import { Repository } from 'typeorm';`),
      source('catalog/c.rules.ts', `import { Injectable } from '@nestjs/common';`),
      source('catalog/d.rules.ts', `import { createHash } from 'node:crypto';`),
    ];
    expect(impureFiles(sources, rules)).toEqual([
      'catalog/a.rules.ts must be pure, but catalog/b.ts imports typeorm',
      'catalog/c.rules.ts must be pure, but catalog/c.rules.ts imports @nestjs/common',
    ]);
  });

  it('the architecture check finds a table of another module and an unknown one', () => {
    const sources = [
      source('play/a.ts', 'SELECT 1 FROM accounts JOIN quizzes q ON true'),
      source('play/b.ts', 'UPDATE quizzes SET plays = 1', 'import x FROM nowhere'),
      source('catalog/c.ts', 'DELETE FROM quizzes; SELECT FROM accounts FOR UPDATE'),
      source('authoring/d.ts', 'INSERT INTO quizzes SELECT FROM quizzes'),
      source('play/e.ts', 'DELETE FROM plays p USING accounts a'),
      source('play/f.ts', 'SELECT 1 FROM due, quizzes AS q, accounts a WHERE true'),
    ];
    expect(
      tableViolations(sources, ['accounts', 'quizzes', 'news'], {
        accounts: { writes: ['access'], reads: ['catalog'] },
        quizzes: { writes: ['authoring'], reads: ['play'] },
      }),
    ).toEqual([
      'news belongs to no module',
      'play/a.ts reads accounts, a table of access',
      'play/b.ts writes quizzes, a table of authoring',
      'catalog/c.ts writes quizzes, a table of authoring',
      'play/e.ts reads accounts, a table of access',
      'play/f.ts reads accounts, a table of access',
    ]);
  });

  it('the architecture check finds listeners in other files, and callers of listeners', () => {
    const listener = `  @OnDomainEvent('quiz.created')`;
    const sources = [
      source('catalog/a.service.ts', listener),
      source('catalog/b.listener.ts', listener),
      source('catalog/c.service.ts', `import { B } from './b.listener';`),
      source('catalog/d.module.ts', `import { B } from './b.listener';`),
    ];
    expect(listenerViolations(sources)).toEqual([
      'catalog/a.service.ts has a listener: move it to an x.listener.ts',
      'catalog/c.service.ts imports catalog/b.listener.ts',
    ]);
  });

  it('the architecture check finds import cycles of any length', () => {
    const sources = [
      source('catalog/a.ts', `import './b';`),
      source('catalog/b.ts', `import './c';`),
      source('catalog/c.ts', `import type { A } from './a';`),
      source('catalog/d.ts', `import './a';`),
      source('catalog/e.ts', `import './e';`),
    ];
    expect(cycles(sources)).toEqual([
      'catalog/a.ts → catalog/b.ts → catalog/c.ts → catalog/a.ts',
      'catalog/e.ts → catalog/e.ts',
    ]);
  });

  it('the architecture check finds folders that import each other in a circle', () => {
    const sources = [
      source('play/a/one.ts', `import '../b/two';`),
      source('play/b/three.ts', `import '../c/four';`),
      source('play/c/five.ts', `import '../a/six';`),
      source('play/d/seven.ts', `import '../a/one';`, `import '../shared';`),
      source('play/play.module.ts', `import './d/seven';`),
    ];
    expect(folderCycles(sources)).toEqual(['play/a ↔ play/b ↔ play/c']);
  });

  it.each([
    ['a barrel', 'catalog/index.ts', `export { a } from './a';`],
    ['a default export', 'catalog/a.ts', `export default class A {}`],
    ['an assigned default export', 'catalog/a.ts', `const a = 1;\nexport default a;`],
    ['an export of everything', 'catalog/a.ts', `export * from './b';`],
    ['an export of all types', 'catalog/a.ts', `export type * from './b';`],
    ['an assigned export', 'catalog/a.ts', `const a = 1;\nexport = a;`],
    ['process.env', 'catalog/a.ts', `const port = process.env.PORT;`],
    ['process["env"]', 'catalog/a.ts', `const port = process['env'].PORT;`],
    ['globalThis.process.env', 'catalog/a.ts', `const port = globalThis.process.env.PORT;`],
    ['an imported process', 'catalog/a.ts', `import { env } from 'node:process';`],
  ])('the architecture check refuses %s', (_, path, text) => {
    expect(styleViolations([source(path, text)])).toHaveLength(1);
  });

  it('the architecture check allows platform/config to read the environment', () => {
    expect(
      styleViolations([source('platform/config/x.ts', `export const e = process.env;`)]),
    ).toEqual([]);
  });
});
