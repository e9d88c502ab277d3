// Preloaded (--require) into a process under test: at its end it writes which files were loaded, one a line.
const { writeFileSync } = require('node:fs');

process.on('exit', () => {
  writeFileSync(process.env.LOADED_MODULES, Object.keys(require.cache).join('\n'));
});
