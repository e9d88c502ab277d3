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
    const temporary = `${file}.${process.pid}`;
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
