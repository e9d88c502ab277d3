// npm run bench -- <name> [options]
//
// A bench is a file <name>.bench.mjs beside this one. It exports
//   about      one line for the list
//   options    { name: { default: number | boolean, about } }
//   run(options, defer) → { title, notes, tables, data }; what is handed to `defer` is done at the end
// It measures what `npm run build` made, as it runs in production, so nothing here is compiled.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { machine } from './support/machine.mjs';
import { report } from './support/report.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const results = join(here, 'results');
const ENDING = '.bench.mjs';
const names = readdirSync(here)
  .filter((file) => file.endsWith(ENDING))
  .map((file) => file.slice(0, -ENDING.length));

const [name, ...rest] = process.argv.slice(2);
if (!names.includes(name)) {
  console.log(await usage());
  process.exit(name === undefined || name === '--help' ? 0 : 2);
}
const bench = await import(`./${name}${ENDING}`);
const options = optionsFrom(rest, bench.options);

// What was started last is stopped first, also when somebody loses patience.
const deferred = [];
async function cleanUp() {
  while (deferred.length > 0) await deferred.pop()();
}
process.once('SIGINT', () => void cleanUp().finally(() => process.exit(130)));
try {
  const result = await bench.run(options, (work) => deferred.push(work));
  const command = ['npm run bench --', name, ...rest].join(' ');
  const text = report({ ...result, command, machine: machine() });
  mkdirSync(results, { recursive: true });
  writeFileSync(join(results, `${name}.md`), text);
  writeFileSync(
    join(results, `${name}.json`),
    `${JSON.stringify({ command, machine: machine(), options, ...result }, null, 2)}\n`,
  );
  console.log(`\n${text}`);
} finally {
  await cleanUp();
}

function optionsFrom(args, known) {
  const specs = Object.entries(known);
  try {
    const { values } = parseArgs({
      args,
      options: Object.fromEntries(
        specs.map(([option, { default: value }]) => [
          option,
          { type: typeof value === 'boolean' ? 'boolean' : 'string' },
        ]),
      ),
    });
    return Object.fromEntries(
      specs.map(([option, { default: value }]) => {
        const given = values[option] ?? value;
        if (typeof value === 'boolean') return [option, given];
        if (!/^[1-9]\d*$/.test(given)) throw new Error(`--${option} must be a positive number.`);
        return [option, Number(given)];
      }),
    );
  } catch (error) {
    console.error(error.message);
    process.exit(2);
  }
}

async function usage() {
  const lines = ['npm run bench -- <name> [options]'];
  for (const known of names) {
    const { about, options } = await import(`./${known}${ENDING}`);
    lines.push('', `${known}: ${about}`);
    for (const [option, it] of Object.entries(options))
      lines.push(`  --${option.padEnd(12)} ${it.about} (default ${it.default})`);
  }
  return lines.join('\n');
}
