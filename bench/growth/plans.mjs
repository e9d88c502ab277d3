const FILES = [
  ['list', 'list: '],
  ['browse', 'browse: '],
  ['random', 'random: '],
  ['others', ''],
];

/** The plans of one scale as Markdown, as [file, text]: one file for each kind of read. */
export function plansPage(scale, figures) {
  const left = new Map(figures);
  return FILES.map(([file, prefix]) => {
    const sections = [];
    for (const [name, { plans, large, planning }] of left) {
      if (!name.startsWith(prefix)) continue;
      left.delete(name);
      sections.push(
        `## ${name}`,
        `${large.toFixed(2)} ms to run (median), ${planning.toFixed(2)} ms to plan.`,
        ...plans.map((plan) => `\`\`\`\n${plan}\n\`\`\``),
      );
    }
    const head = `# Plans at ${scale}: ${file}\n\nMade by \`npm run bench -- growth --scale ${scale} --plans\`; not edited by hand. Each block is one statement of the request.`;
    return [`plans-${scale}-${file}.md`, `${[head, ...sections].join('\n\n')}\n`];
  });
}
