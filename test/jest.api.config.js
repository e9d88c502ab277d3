/**
 * `npm test`: the unit tests and those of the API. `npx jest` also finds test/system, test/stress and packages.
 * @type {import('jest').Config}
 */
module.exports = {
  rootDir: '..',
  ...require('../jest.config'),
  testPathIgnorePatterns: ['/node_modules/', '/test/(system|stress)/', '<rootDir>/packages/'],
};
