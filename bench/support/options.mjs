import { parseArgs } from 'node:util';

/**
 * What the command line asks for.
 * @returns chosen: [{ name, rows }]; options by bench; isWhole: nothing was named, so it is the whole table; or
 *   `error`: what is wrong with it, '' where help was asked for
 */
export function readArguments(args, benches) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { help: { type: 'boolean' }, ...declared(benches) },
    });
    if (values.help) return { error: '' };
    const chosen = choose(positionals, benches);
    const isWhole = positionals.length === 0;
    const options = Object.fromEntries(
      chosen.map(({ name }) => [name, optionsOf(benches.get(name), values, isWhole)]),
    );
    return { chosen, options, isWhole };
  } catch (error) {
    return { error: error.message };
  }
}

function declared(benches) {
  const all = [...benches.values()].flatMap(({ options }) => Object.entries(options));
  return Object.fromEntries(
    all.map(([name, { default: value }]) => [
      name,
      { type: typeof value === 'boolean' ? 'boolean' : 'string' },
    ]),
  );
}

/** Without names, all of them. */
function choose(names, benches) {
  const chosen = new Map();
  const take = (name, rows) => chosen.set(name, [...(chosen.get(name) ?? []), ...rows]);
  const rowsOf = (name) => Object.keys(benches.get(name).rows);
  if (names.length === 0) for (const name of benches.keys()) take(name, rowsOf(name));
  for (const given of names) {
    const isGiven = (id) => id.toUpperCase() === given.toUpperCase();
    const owner = [...benches.keys()].find((name) => rowsOf(name).some(isGiven));
    if (benches.has(given)) take(given, rowsOf(given));
    else if (owner) take(owner, rowsOf(owner).filter(isGiven));
    else throw new Error(`There is no row and no bench “${given}”.`);
  }
  return [...chosen].map(([name, rows]) => ({ name, rows: [...new Set(rows)] }));
}

function optionsOf({ options }, given, isBrief) {
  return Object.fromEntries(
    Object.entries(options).map(([name, { default: usual, brief = usual }]) => {
      const value = given[name] ?? (isBrief ? brief : usual);
      if (typeof usual !== 'number') return [name, value];
      if (!(Number(value) > 0)) throw new Error(`--${name} must be a positive number.`);
      return [name, Number(value)];
    }),
  );
}

export function usage(benches) {
  const lines = [
    'npm run bench -- [rows or benches …] [options]; without names, the whole target table',
  ];
  for (const [name, { about, rows, options }] of benches) {
    lines.push('', `${name} (${Object.keys(rows).join(' ')}): ${about}`);
    for (const [option, it] of Object.entries(options))
      lines.push(`  --${option.padEnd(12)} ${it.about} (default ${it.default})`);
  }
  return lines.join('\n');
}
