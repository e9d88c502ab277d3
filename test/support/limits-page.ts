import type { Limit } from '../../src/platform/limits/limits';

type Limits = Record<string, Record<string, Limit>>;

/** docs/limits.md, one section for each subject. */
export function limitsPage(limits: Limits): string {
  const sections = Object.entries(limits).map(
    ([subject, entries]) =>
      `## ${heading(subject)}\n\n| What | Limit | Per | Beyond it | Test |\n| --- | --- | --- | --- | --- |\n` +
      Object.values(entries).map(row).join('\n'),
  );
  return (
    '# Limits\n\nGenerated from `src/platform/limits/limit-table.json` by `npm run limits`; do not edit. The code that enforces ' +
    `a limit reads its value from there.\n\n${sections.join('\n\n')}\n`
  );
}

const heading = (subject: string) =>
  (subject.charAt(0).toUpperCase() + subject.slice(1)).replace(/[A-Z]/g, (letter, at) =>
    at === 0 ? letter : ` ${letter.toLowerCase()}`,
  );

const row = ({ what, value, unit, setting, per, beyond, test }: Limit) =>
  `| ${what} | ${amount(value, unit)}${setting ? ` (\`${setting}\`)` : ''} | ${per} | ${beyond} | ${test.replace(' › ', ': ')} |`;

const AMOUNTS: Record<string, readonly (readonly [number, string])[]> = {
  bytes: [
    [1_073_741_824, 'GiB'],
    [1_048_576, 'MiB'],
    [1_024, 'KiB'],
  ],
  ms: [
    [86_400_000, 'days'],
    [3_600_000, 'hours'],
    [60_000, 'minutes'],
    [1_000, 's'],
  ],
};

function amount(value: number, unit: string): string {
  const [size, name] = AMOUNTS[unit]?.find(([size]) => value % size === 0) ?? [1, unit];
  const number = value / size;
  // The plural is the first word: "in 24 hours" stays.
  return `${number.toLocaleString('en')} ${number === 1 ? name.replace(/^(\w+)s\b/, '$1') : name}`;
}
