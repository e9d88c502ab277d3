import { join } from 'node:path';
import {
  boundaryFaults,
  cycles,
  impureFiles,
  importsOf,
  readSources,
  styleFaults,
  type House,
} from './support/architecture';

/**
 * Who may import whom. Files directly in src/ are the roots of the processes: they import everything, and
 * nobody imports them.
 */
const HOUSE: House = {
  mayImport: {
    platform: [],
    events: ['platform'],
    access: ['platform', 'events'],
    catalog: ['platform', 'access'],
    authoring: ['platform', 'events', 'access', 'catalog'],
    play: ['platform', 'events', 'access', 'catalog'],
    webhooks: ['platform', 'events', 'access'],
    starter: ['platform', 'access', 'catalog', 'authoring'],
    exchange: ['platform', 'access', 'catalog', 'authoring'],
    dashboard: 'everything',
    cli: 'everything',
  },
  shown: /\.(module|service|entity)$/,
  // platform and events are there to be used by everybody, and show all of themselves.
  faces: {
    access: [
      'api-key.guard',
      'attempt-limits',
      'audit-log',
      'caller',
      'password.rules',
      'path-check.interceptor',
      'plan.rules',
    ],
    catalog: [
      'catalog.openapi',
      'catalog.schemas',
      'query-fields',
      'responses',
      'visibility',
      'vocabulary',
    ],
    authoring: [
      'authoring.openapi',
      'batch-import.request',
      'create-quiz.request',
      'hierarchy-version.rules',
      'hierarchy.request',
      'question.rules',
    ],
    play: ['answer.request', 'visitor-attempt', 'visitor.queries', 'visitor.rules'],
    webhooks: [
      'endpoint.view',
      'owner',
      // What a receiver checks: `quizctl webhooks listen` is one.
      'signature',
    ],
    exchange: ['export-file', 'formats/formats', 'imports/import'],
    starter: [],
    dashboard: [],
    cli: [],
  },
  pure: /\.rules\.ts$|\/(retry|signature|secret|plan|scoring)\.ts$/,
};

describe('the house as it stands', () => {
  const sources = readSources(join(__dirname, '../src'));

  it('was read', () => {
    expect(sources.length).toBeGreaterThan(60);
    expect(sources.map(({ path }) => path)).toContain('access/plan.rules.ts');
  });

  it('has no import that the table of modules forbids, and none past a face', () => {
    expect(boundaryFaults(sources, HOUSE)).toEqual([]);
  });

  it('keeps its pure files free of Nest and TypeORM', () => {
    expect(impureFiles(sources, HOUSE)).toEqual([]);
  });

  it('has no import cycles', () => {
    expect(cycles(sources)).toEqual([]);
  });

  it('has no barrels and no default exports, and reads the environment in one place', () => {
    expect(styleFaults(sources)).toEqual([]);
  });
});

describe('the checker', () => {
  const house: House = {
    mayImport: {
      platform: [],
      access: ['platform'],
      catalog: ['platform', 'access'],
      cli: 'everything',
    },
    shown: /\.module$/,
    faces: { access: ['caller'] },
    pure: /\.rules\.ts$/,
  };
  const source = (path: string, ...lines: string[]) => ({ path, text: lines.join('\n') });

  it('sees every form of an import', () => {
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
    ['a module the table does not allow', 'access/x.ts', '../catalog/y'],
    ['anything but npm from platform', 'platform/deep/x.ts', '../../access/access.module'],
    ['past a face', 'catalog/x.ts', '../access/api-key.rules'],
    ['past a face, from a folder within', 'catalog/deep/x.ts', '../../access/deep/caller'],
    ['past a face where everything may be imported', 'cli/x.ts', '../access/key-use'],
    ['the root of a process', 'cli/x.ts', '../configure'],
    ['into a module that is not in the table', 'news/x.ts', '../platform/clock'],
  ])('refuses an import of %s', (_, path, target) => {
    expect(boundaryFaults([source(path, `import { y } from '${target}';`)], house)).toHaveLength(1);
  });

  it.each([
    ['catalog/x.ts', '../access/access.module'],
    ['catalog/x.ts', '../access/caller'],
    ['catalog/x.ts', '../platform/http/anything'],
    ['catalog/x.ts', './anything'],
    ['main.ts', './access/api-key.rules'],
    ['platform/x.ts', '@nestjs/common'],
  ])('lets %s import %s', (path, target) => {
    expect(boundaryFaults([source(path, `import { y } from '${target}';`)], house)).toEqual([]);
  });

  it('finds Nest behind a pure file, also at second hand', () => {
    const sources = [
      source('catalog/a.rules.ts', `import { b } from './b';`),
      source('catalog/b.ts', `import { Repository } from 'typeorm';`),
      source('catalog/c.rules.ts', `import { Injectable } from '@nestjs/common';`),
      source('catalog/d.rules.ts', `import { createHash } from 'node:crypto';`),
    ];
    expect(impureFiles(sources, house)).toEqual([
      'catalog/a.rules.ts is to be pure, but catalog/b.ts imports typeorm',
      'catalog/c.rules.ts is to be pure, but catalog/c.rules.ts imports @nestjs/common',
    ]);
  });

  it('finds cycles of any length', () => {
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

  it.each([
    ['a barrel', 'catalog/index.ts', `export { a } from './a';`],
    ['a default export', 'catalog/a.ts', `export default class A {}`],
    ['an assigned default export', 'catalog/a.ts', `const a = 1;\nexport default a;`],
    ['an export of everything', 'catalog/a.ts', `export * from './b';`],
    ['process.env', 'catalog/a.ts', `const port = process.env.PORT;`],
    ['process["env"]', 'catalog/a.ts', `const port = process['env'].PORT;`],
    ['globalThis.process.env', 'catalog/a.ts', `const port = globalThis.process.env.PORT;`],
    ['an imported process', 'catalog/a.ts', `import { env } from 'node:process';`],
  ])('refuses %s', (_, path, text) => {
    expect(styleFaults([source(path, text)])).toHaveLength(1);
  });

  it('lets platform/config read the environment', () => {
    expect(styleFaults([source('platform/config/x.ts', `export const e = process.env;`)])).toEqual(
      [],
    );
  });
});
