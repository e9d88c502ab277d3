const { readdirSync, readFileSync } = require('node:fs');
const { join } = require('node:path');

/**
 * Nest 12 and some other packages are published as ES modules only. Jest's loader cannot require()
 * those, so swc compiles exactly the packages that declare `"type": "module"`, and no others.
 */
function esmPackages(root = join(__dirname, 'node_modules'), scope = '') {
  return readdirSync(join(root, scope)).flatMap((name) => {
    if (name.startsWith('@') && !scope) return esmPackages(root, name);
    try {
      const manifest = JSON.parse(readFileSync(join(root, scope, name, 'package.json'), 'utf8'));
      return manifest.type === 'module' ? [scope ? `${scope}/${name}` : name] : [];
    } catch {
      return [];
    }
  });
}

const typescript = (syntax) => [
  '@swc/jest',
  {
    jsc: {
      parser: { syntax: 'typescript', decorators: true, ...syntax },
      transform: {
        legacyDecorator: true,
        decoratorMetadata: true,
        react: { runtime: 'automatic', importSource: 'preact' },
      },
      keepClassNames: true,
      target: 'es2022',
    },
    module: { type: 'commonjs' },
  },
];

/** Preact's files are ES modules by their ending (.mjs). */
const COMPILED = ['preact', ...esmPackages()];

/** @type {import('jest').Config} */
module.exports = {
  roots: ['<rootDir>/src', '<rootDir>/test'],
  testEnvironment: 'node',
  testMatch: ['**/*.spec.ts'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  setupFilesAfterEnv: ['<rootDir>/test/support/contract-setup.ts'],
  testTimeout: 30_000,
  // TypeScript first: a stray compiled file must never shadow its source.
  moduleFileExtensions: ['ts', 'tsx', 'js', 'mjs', 'cjs', 'json', 'node'],
  transform: {
    '^.+\\.(ts|js|mjs)$': typescript({}),
    '^.+\\.tsx$': typescript({ tsx: true }),
  },
  transformIgnorePatterns: [`/node_modules/(?!(${COMPILED.join('|')})/)`],
};
