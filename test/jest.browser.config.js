/**
 * The tests in a real browser: `npm run test:browser`. Apart from `npm test`, which needs no Chromium.
 * @type {import('jest').Config}
 */
module.exports = {
  rootDir: '..',
  ...require('../jest.config'),
  testMatch: ['<rootDir>/test/browser/**/*.browser.ts'],
  maxWorkers: 2,
  testTimeout: 60_000,
};
