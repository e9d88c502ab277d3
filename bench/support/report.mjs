/** A result as Markdown, which reads well on a terminal too. */
export function report({ title, command, machine, notes, tables }) {
  return [
    `# ${title}`,
    '',
    `\`${command}\` on ${new Date().toISOString().slice(0, 10)}, ${machine}.`,
    '',
    ...tables.flatMap((it) => [...table(it), '']),
    ...notes.map((note) => `- ${note}`),
    '',
  ].join('\n');
}

const inCell = (cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** Rows of text; the first column is a name, the others are figures. */
function table({ columns, rows: unescaped }) {
  const rows = unescaped.map((row) => row.map(inCell));
  const widths = columns.map((column, place) =>
    Math.max(3, column.length, ...rows.map((row) => row[place].length)),
  );
  const line = (cells) =>
    `| ${cells.map((cell, place) => (place === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[place]))).join(' | ')} |`;
  const rule = widths.map((width, place) =>
    place === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`,
  );
  return [line(columns), `| ${rule.join(' | ')} |`, ...rows.map(line)];
}
