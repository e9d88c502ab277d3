import { canReadProc } from './cpu.mjs';

/** The rows of the target table that were measured, as a table of the report. */
export function targetTable(done) {
  const rows = done
    .flatMap(({ bench, rows, result }) =>
      rows.map((id) => ({ id, ...bench.rows[id], measured: asMeasured(result.measured?.[id]) })),
    )
    .sort((a, b) => ORDER.indexOf(a.id[0]) - ORDER.indexOf(b.id[0]) || (a.id < b.id ? -1 : 1));
  return {
    columns: ['row', 'what', 'against', 'target', 'measured', ''],
    rows: rows.map(({ id, what, against, target, measured }) => [
      id,
      what,
      against,
      words(target),
      typeof measured === 'number' ? figure(measured, target) : (measured ?? 'not measured'),
      typeof measured === 'number' ? (isMet(measured, target) ? 'met' : 'MISSED') : '–',
    ]),
  };
}

/** What is computed of CPU times is NaN where they cannot be read. */
const asMeasured = (value) =>
  Number.isNaN(value) && !canReadProc ? 'not measured: needs Linux' : value;

const ORDER = 'BPGQWHCRMS';

function isMet(measured, { atMost, atLeast, equal }) {
  if (atMost !== undefined) return measured <= atMost;
  return atLeast !== undefined ? measured >= atLeast : measured === equal;
}

function words({ atMost, atLeast, equal, unit = '×' }) {
  if (atMost !== undefined) return `≤ ${atMost} ${unit}`;
  return atLeast !== undefined ? `≥ ${atLeast} ${unit}` : String(equal);
}

function figure(measured, { equal, unit = '×' }) {
  if (equal !== undefined) return String(measured);
  return `${measured.toFixed(measured < 10 ? 2 : 1)} ${unit}`;
}
