const { availableParallelism } = require('node:os');

const swc = (parser) => [
  '@swc/jest',
  {
    jsc: {
      parser: { syntax: 'typescript', decorators: true, ...parser },
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

/** @type {import('jest').Config} */
module.exports = {
  // Test files share the modules they import: docs/adr/0018-test-files-share-modules.md.
  testEnvironment: '<rootDir>/test/support/jest/environment.cjs',
  runtime: '<rootDir>/test/support/jest/runtime.cjs',
  roots: ['<rootDir>/src', '<rootDir>/test', '<rootDir>/packages'],
  testMatch: ['**/*.spec.ts'],
  globalSetup: '<rootDir>/test/support/global-setup.ts',
  globalTeardown: '<rootDir>/test/support/global-teardown.ts',
  setupFilesAfterEnv: ['<rootDir>/test/support/contract-setup.ts'],
  testTimeout: 30_000,
  // Jest's default is one less than there are cores: of two cores one would be idle.
  maxWorkers: Math.max(2, availableParallelism() - 1),
  moduleFileExtensions: ['ts', 'tsx', 'js', 'cjs', 'json'],
  transform: { '^.+\\.ts$': swc({}), '^.+\\.tsx$': swc({ tsx: true }) },
};
