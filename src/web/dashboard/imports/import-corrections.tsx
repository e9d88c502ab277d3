import type { RowEdit, WrittenRow } from '../../../import-export/imports/import-text.service';
import type {
  ImportColumn,
  ImportReport,
  ImportReportEntry,
} from '../../../import-export/imports/imports.dto';
import { Icon } from '../../components/button';
import { count } from '../../components/format';
import { Badge } from '../../components/section';
import type { Form } from '../../http/form';

/** The mistakes of a file, with its rows as they are written, to be corrected where they are shown. */

/** Rejected rows that are shown at once. */
export const MOST_PROBLEMS = 50;

/** A row that is not imported. */
function Problem({
  entry,
  row,
  columns,
  typed,
}: {
  entry: ImportReportEntry;
  row: WrittenRow | undefined;
  columns: readonly ImportColumn[];
  typed: Form;
}) {
  const { line, message } = entry;
  const id = `row-${line}`;
  const name = (place: number) => columns[place]?.name ?? `Column ${place + 1}`;
  return (
    <li class="problem">
      <p id={`${id}-reason`}>
        <span class="problem-line">Line {line.toLocaleString('en')}</span>{' '}
        <Badge variant="bad">error</Badge> {message}
      </p>
      {row && <input type="hidden" name="rows" value={`${row.line}:${row.end}:${row.hash}`} />}
      {row?.cells ? (
        <div class="problem-cells">
          {row.cells.map((cell, place) => (
            <label data-field={columns[place]?.field ?? undefined}>
              <span class="clip">{name(place)}</span>
              <input
                class="input"
                name={`cells-${line}`}
                value={typed.all(`cells-${line}`)[place] ?? cell}
                autocomplete="off"
                aria-describedby={`${id}-reason`}
              />
            </label>
          ))}
        </div>
      ) : (
        row && (
          <textarea
            class="textarea mono"
            name={`text-${line}`}
            rows={Math.min(row.text.split('\n').length + 1, 12)}
            aria-label={`Line ${line}, as it is written`}
            aria-describedby={`${id}-reason`}
          >
            {typed.text(`text-${line}`) || row.text}
          </textarea>
        )
      )}
    </li>
  );
}

/** The rows that cannot be imported as they are, in a form that corrects them. */
export function Problems({
  report,
  problems,
  at,
  form,
}: {
  report: ImportReport;
  problems: { entries: ImportReportEntry[]; rows: WrittenRow[] };
  at: string;
  form: Form;
}) {
  const { entries, rows } = problems;
  const { view } = report;
  if (entries.length === 0) return null;
  const rowAt = new Map(rows.map((row) => [row.line, row]));
  const all = view.totals.errors;
  return (
    <section class="problems" aria-label="Mistakes">
      <h2>
        <Icon name="warning" /> {count(all, 'row has a mistake', 'rows have a mistake')}
      </h2>
      <p>
        {rows.length > 0
          ? 'Correct them here, or import the others without them.'
          : 'They are not imported. Correct them in your file and choose it again: what you have by then is skipped.'}
        {all > entries.length && ` The first ${entries.length} are shown.`}
      </p>
      <form method="post" action={`${at}/rows`} class="problem-form">
        <ol class="problem-list">
          {entries.map((entry) => (
            <Problem
              entry={entry}
              row={rowAt.get(entry.line)}
              columns={view.columns ?? []}
              typed={form}
            />
          ))}
        </ol>
        {rows.length > 0 && (
          <div class="buttons">
            <button class="btn" data-variant="outline">
              Read the corrected rows again
            </button>
          </div>
        )}
      </form>
    </section>
  );
}

/** The corrected rows of that form. */
export const editsOf = (form: Form): RowEdit[] =>
  form.all('rows').flatMap((key) => {
    const [, line, end, hash] = /^(\d{1,7}):(\d{1,7}):([\da-f]{16})$/.exec(key) ?? [];
    if (line === undefined || end === undefined || hash === undefined) return [];
    const cells = form.all(`cells-${line}`);
    const place = { line: Number(line), end: Number(end), hash };
    return [cells.length > 0 ? { ...place, cells } : { ...place, text: form.text(`text-${line}`) }];
  });

/** The whole text of the file, to be changed and read again. */
export function WholeText({
  text,
  at,
  isOpen,
  form,
}: {
  text: string;
  at: string;
  isOpen: boolean;
  form: Form;
}) {
  return (
    <details class="more whole-text" open={isOpen}>
      <summary>{isOpen ? 'Your text' : 'Show and change the whole text'}</summary>
      <form method="post" action={`${at}/text`} class="form wide">
        <textarea class="textarea mono" name="text" rows={14} aria-label="Your text">
          {form.text('text') || text}
        </textarea>
        <div class="buttons">
          <button class="btn" data-variant="outline">
            Read this text
          </button>
        </div>
      </form>
    </details>
  );
}
