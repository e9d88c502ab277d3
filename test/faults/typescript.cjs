// Lets plain Node run TypeScript: the harnesses, and the thread that reads an import in a test. A file is compiled by
// the compiler of the tests when it is first required; what comes of it is kept for other threads and processes.
// Types are checked by `npm run typecheck`.
require('../support/source-packages.cjs');
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { threadId } = require('node:worker_threads');

const COMPILED = join(__dirname, '../../node_modules/.cache/typescript');
const VERSION = require('@swc/core/package.json').version + readFileSync(__filename, 'utf8');

/** The simulator breaks the service on purpose by changing the text of a file as it is read. */
exports.edit = (_filename, source) => source;

require.extensions['.ts'] = (module, filename) => {
  const source = exports.edit(filename, readFileSync(filename, 'utf8'));
  const hash = createHash('sha1').update(VERSION).update(filename).update(source).digest('hex');
  module._compile(
    kept(join(COMPILED, `${hash}.js`), () => compile(source, filename)),
    filename,
  );
};

function kept(file, make) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    const content = make();
    mkdirSync(COMPILED, { recursive: true });
    const temporary = `${file}.${process.pid}-${threadId}`;
    writeFileSync(temporary, content);
    renameSync(temporary, file);
    return content;
  }
}

function compile(source, filename) {
  return require('@swc/core').transformSync(source, {
    filename,
    swcrc: false,
    configFile: false,
    sourceMaps: 'inline',
    module: { type: 'commonjs' },
    jsc: {
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true },
      keepClassNames: true,
      target: 'es2022',
    },
  }).code;
}
