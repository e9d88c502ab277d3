import redos from 'eslint-plugin-redos';
import importSort from 'eslint-plugin-simple-import-sort';
import tseslint from 'typescript-eslint';

const STATEMENTS = [
  {
    // `asked.query` reads the URL of a page.
    selector:
      'CallExpression[callee.property.name="query"][callee.object.name!="asked"]:not([arguments.0.tag.name="sql"])',
    message: 'Use query(database, sql`…`) or a repository.',
  },
  {
    // RetryingDataSource repeats what a deadlock has undone; a manager does not.
    selector:
      'CallExpression[callee.property.name="transaction"][callee.object.property.name="manager"]',
    message: 'Begin a transaction with the DataSource.',
  },
];

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'data/',
      'coverage/',
      'node_modules/',
      'clients/*/dist/',
      'clients/*/src/api.ts',
      'test/generators/',
      'test/opentdb-clients/',
      'test/qti-tools/',
      'test/support/openapi-metadata.ts',
    ],
  },
  {
    files: ['{src,test,packages}/**/*.{ts,tsx}'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
      'no-restricted-properties': [
        'error',
        {
          object: 'process',
          property: 'env',
          message: 'Read settings from Config (src/platform/config).',
        },
      ],
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
  {
    files: ['test/**/*.{ts,tsx}', '**/*.spec.ts'],
    rules: {
      'no-restricted-properties': 'off',
      // supertest's and JSON's bodies are `any` by nature; the assertions are the types.
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    // Packages first, then own files: each group without blank lines, by path.
    files: ['{src,test,packages}/**/*.{ts,tsx}'],
    plugins: { 'import-sort': importSort },
    rules: {
      'import-sort/imports': [
        'error',
        { groups: [['^\\u0000', '^node:', '^@?\\w', '^#', '^\\.']] },
      ],
    },
  },
  {
    // A statement carries its values (src/platform/database/sql.ts), so no value can become part of its text.
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/platform/database/**', '**/*.spec.ts'],
    rules: { 'no-restricted-syntax': ['error', ...STATEMENTS] },
  },
  {
    // The error filter makes the responses: it takes Nest's exceptions for errors of routing, as NotFoundException is.
    files: ['src/**/*.{ts,tsx}'],
    ignores: [
      'src/platform/http/server/error-filter.ts',
      // Its 404 is for a route that exists.
      'src/catalog/opentdb/opentdb.requests.ts',
    ],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['@nestjs/common'],
              importNamePattern: '(?<!^NotFound)Exception$',
              message: 'Throw an error of src/platform/errors/domain-errors.ts.',
            },
          ],
        },
      ],
    },
  },
  {
    // A service reads like what it does; its statements have names.
    files: ['src/**/*.{service,controller,listener,processor,guard,interceptor}.{ts,tsx}'],
    rules: {
      'no-restricted-syntax': [
        'error',
        ...STATEMENTS,
        {
          selector: 'TaggedTemplateExpression[tag.name="sql"]',
          message: 'Write statements in *.queries.ts, or use a repository.',
        },
      ],
    },
  },
  {
    // Regular expressions whose time grows faster than their text stopped the service: 42 s for 192 KiB.
    // Tests are left out: what they match is our own.
    files: [
      '{src,packages}/**/*.{ts,tsx}',
      'clients/*/src/**/*.ts',
      'bench/**/*.mjs',
      'scripts/**/*.mjs',
    ],
    ignores: ['**/*.spec.ts'],
    plugins: { redos },
    rules: { 'redos/no-vulnerable': 'error' },
  },
  {
    // Plain JavaScript: no types to lint by, and their output is their purpose.
    files: ['{bench,scripts}/**/*.mjs'],
    extends: [tseslint.configs.recommended],
    rules: {
      eqeqeq: 'error',
    },
  },
  {
    // Packages of their own, with a tsconfig of their own.
    files: ['clients/*/src/**/*.ts'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      'no-console': 'error',
      eqeqeq: 'error',
    },
  },
);
