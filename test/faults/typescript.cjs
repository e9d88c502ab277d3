// Lets plain Node run TypeScript: the harnesses, scripts, and the process of an import in a test. A file is compiled by the
// compiler of the tests when it is first required, and what comes of it is kept for other processes.
// Types are checked by `npm run typecheck`.
require('../support/source-packages.cjs');
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');

const COMPILED = join(__dirname, '../../node_modules/.cache/typescript');
const VERSION = require('@swc/core/package.json').version + readFileSync(__filename, 'utf8');

require.extensions['.ts'] = (module, filename) => {
  const source = readFileSync(filename, 'utf8');
  module._compile(kept(filename, source), filename);
};

/** One file for each source, so that old versions take no room. It begins with what it was compiled from. */
function kept(filename, source) {
  const file = join(COMPILED, `${hashOf(filename)}.js`);
  const mark = `/* ${hashOf(VERSION, filename, source)} */`;
  try {
    const content = readFileSync(file, 'utf8');
    if (content.startsWith(mark)) return content;
  } catch {
    // It was never compiled.
  }
  // On the line of the code: source maps count lines.
  const content = mark + compile(source, filename);
  mkdirSync(COMPILED, { recursive: true });
  const temporary = `${file}.${process.pid}`;
  writeFileSync(temporary, content);
  renameSync(temporary, file);
  return content;
}

const hashOf = (...texts) => {
  const hash = createHash('sha1');
  for (const text of texts) hash.update(text);
  return hash.digest('hex');
};

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
