// npm run bench -- [names …] [options]
//
// Without names: every row of the target table (docs/performance.md). Names are rows (B1) or benches (reads).
//
// A bench is a file <name>.bench.mjs beside this one. It exports
//   about      one line for the list
//   rows       { id: { what, against, target } }: its rows of the target table.
//              `target` is { atMost: 2 }, { atLeast: 8 } or { equal: 0 }
//   options    { name: { default: number | boolean | string, brief?, about } }; `brief` is the default
//              where the whole table is run
//   run(options, defer, rows) → { title, notes, tables, data, measured }
//              `rows` are the ids that are wanted; `measured` is { id: number, or a text that says why there is none };
//              what is handed to `defer` is done at the end
// It measures what `npm run build` made, as it runs in production, so nothing here is compiled.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { machine } from './support/machine.mjs';
import { readArguments, usage } from './support/options.mjs';
import { report } from './support/report.mjs';
import { targetTable } from './support/targets.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const results = join(here, 'results');
const ENDING = '.bench.mjs';
const benches = new Map();
for (const file of readdirSync(here).sort())
  if (file.endsWith(ENDING)) benches.set(file.slice(0, -ENDING.length), await import(`./${file}`));

const args = process.argv.slice(2);
const command = ['npm run bench', ...(args.length > 0 ? ['--', ...args] : [])].join(' ');
const { chosen, options, isWhole, error } = readArguments(args, benches);
if (error !== undefined) {
  const isHelp = error === '';
  console[isHelp ? 'log' : 'error']([error, usage(benches)].filter(Boolean).join('\n\n'));
  process.exit(isHelp ? 0 : 2);
}

// What was started last is stopped first, also after Ctrl-C.
const deferred = [];
let cleaning;
const cleanUp = () =>
  (cleaning ??= runDeferred().finally(() => {
    cleaning = undefined;
  }));
async function runDeferred() {
  while (deferred.length > 0)
    try {
      await deferred.pop()();
    } catch (error) {
      console.error(error);
      process.exitCode = 1;
    }
}
// It ends the process. Whoever awaits it starts and reports nothing more.
let stopping;
const stop = (code) => (stopping ??= cleanUp().finally(() => process.exit(code)));
// A rejection that nobody waited for, or an error of a connection.
process.on('uncaughtException', (error) => {
  console.error(error);
  void stop(1);
});
for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143 }))
  process.once(signal, () => void stop(code));

const begun = performance.now();
const secondsSince = (start) => Math.round((performance.now() - start) / 1_000);
const done = [];
const times = [];
for (const { name, rows } of chosen) {
  const bench = benches.get(name);
  const started = performance.now();
  try {
    const result = await bench.run(options[name], (work) => deferred.push(work), rows);
    done.push({ name, rows, bench, result });
  } catch (error) {
    // What was stopped under a bench makes it fail.
    await stopping;
    console.error(error);
    process.exitCode = 1;
    const [reason] = error.message.split('\n', 1);
    const measured = Object.fromEntries(rows.map((id) => [id, `failed: ${reason}`]));
    done.push({ name, rows, bench, result: { title: name, notes: [], tables: [], measured } });
  } finally {
    await cleanUp();
    await stopping;
    times.push(`${name} ${secondsSince(started)} s`);
  }
}

const text = report({
  title: done.length === 1 ? done[0].result.title : 'The target table',
  command,
  machine: machine(),
  tables: [targetTable(done), ...done.flatMap(({ result }) => result.tables)],
  notes: [
    `It took ${secondsSince(begun)} s: ${times.join(', ')}.`,
    ...done.flatMap(({ result }) => result.notes),
  ],
});
const { scale } = Object.assign({}, ...Object.values(options));
const file = [isWhole ? 'table' : done.map(({ name }) => name).join('+'), scale]
  .filter(Boolean)
  .join('-');
mkdirSync(results, { recursive: true });
writeFileSync(join(results, `${file}.md`), text);
writeFileSync(
  join(results, `${file}.json`),
  `${JSON.stringify({ command, machine: machine(), options, results: done.map(({ name, result }) => ({ name, ...result })) }, null, 2)}\n`,
);
console.log(`\n${text}\nWritten to bench/results/${file}.md and .json`);
