import {
  asTyped,
  type Corrections,
  hashOf,
  type WrittenRow,
} from '../../../import-export/imports/import-text.service';
import type {
  ImportColumn,
  ImportReport,
  ImportReportEntry,
} from '../../../import-export/imports/imports.dto';
import { translated } from '../../../platform/messages/refusals';
import { Icon } from '../../components/button';
import { Badge } from '../../components/section';
import { Textarea } from '../../components/textarea';
import type { Form } from '../../http/form';
import { useMessages } from '../../http/page-context';

/** The mistakes of a file, with its rows as they are written, to be corrected where they are shown. */

/** The id of the form beside them, which sends them as well: no button of it may leave out what is typed here. */
export const START_FORM = 'import-start';

/** Rejected rows that are shown at once. */
export const MOST_PROBLEMS = 50;

/** A row that is not imported. */
function Problem({
  id,
  entry,
  row,
  columns,
  typed,
}: {
  id: string;
  entry: ImportReportEntry;
  row: WrittenRow | undefined;
  columns: readonly ImportColumn[];
  typed: Form;
}) {
  const messages = useMessages();
  const { t } = messages;
  const { line, path, message } = entry;
  const name = (place: number) => columns[place]?.name ?? t('import.column', { number: place + 1 });
  return (
    <li class="problem">
      <p id={`${id}-reason`}>
        <span class="problem-line">{t('import.line', { line })}</span>{' '}
        <Badge variant="bad">{t('import.error')}</Badge> {translated(message, messages)}
        {path && <span class="sub mono clip">{path}</span>}
      </p>
      {row && (
        <input
          type="hidden"
          form={START_FORM}
          name="rows"
          value={`${row.line}:${row.end}:${row.hash}`}
        />
      )}
      {row?.cells ? (
        <div class="problem-cells">
          {row.cells.map((cell, place) => (
            <label data-field={columns[place]?.field ?? undefined}>
              <span class="clip">{name(place)}</span>
              <CellField
                name={`cells-${line}`}
                cell={cell}
                value={typed.all(`cells-${line}`)[place] ?? cell}
                describedBy={`${id}-reason`}
              />
            </label>
          ))}
        </div>
      ) : (
        row && (
          <Textarea
            class="textarea mono"
            form={START_FORM}
            name={`text-${line}`}
            rows={Math.min(row.text.split('\n').length + 1, 12)}
            aria-label={t('import.asWritten', { line })}
            aria-describedby={`${id}-reason`}
            value={typed.all(`text-${line}`)[0] ?? row.text}
          />
        )
      )}
    </li>
  );
}

/** Browsers take line breaks out of an `<input>`, and send the cells that nobody has changed, too. */
function CellField({
  name,
  cell,
  value,
  describedBy,
}: {
  name: string;
  cell: string;
  value: string;
  describedBy: string;
}) {
  const lines = cell.split('\n').length;
  return lines > 1 ? (
    <Textarea
      class="textarea"
      form={START_FORM}
      name={name}
      rows={Math.min(lines + 1, 12)}
      aria-describedby={describedBy}
      value={value}
    />
  ) : (
    <input
      class="input"
      form={START_FORM}
      name={name}
      value={value}
      autocomplete="off"
      aria-describedby={describedBy}
    />
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
  const { t } = useMessages();
  const { entries, rows } = problems;
  const { view } = report;
  if (entries.length === 0) return null;
  const rowAt = new Map(rows.map((row) => [row.line, row]));
  const all = view.totals.errors;
  return (
    <section class="problems" aria-label={t('import.mistakesTitle')}>
      <h2>
        <Icon name="warning" /> {t('import.mistakes', { count: all })}
      </h2>
      <p>
        {rows.length > 0 ? t('import.correct') : t('import.correctInFile')}
        {all > entries.length && ` ${t('import.firstShown', { count: entries.length })}`}
      </p>
      <ol class="problem-list">
        {entries.map((entry, place) => (
          <Problem
            id={`problem-${place}`}
            entry={entry}
            row={rowAt.get(entry.line)}
            columns={view.columns ?? []}
            typed={form}
          />
        ))}
      </ol>
      {rows.length > 0 && (
        <div class="buttons">
          <ReadAgain at={at} text={t('import.readRows')} />
        </div>
      )}
    </section>
  );
}

/** What was corrected in that form. */
export const correctionsOf = (form: Form): Corrections => ({
  rows: form.all('rows').flatMap((key) => {
    const [, line, end, hash] = /^(\d{1,7}):(\d{1,7}):([\da-f]{16})$/.exec(key) ?? [];
    if (line === undefined || end === undefined || hash === undefined) return [];
    const cells = form.all(`cells-${line}`);
    const place = { line: Number(line), end: Number(end), hash };
    return [cells.length > 0 ? { ...place, cells } : { ...place, text: form.text(`text-${line}`) }];
  }),
  whole: form.has('text') ? { text: form.text('text'), hash: form.text('textHash') } : null,
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
  const { t } = useMessages();
  const [typed = text] = form.all('text');
  return (
    // Refused input is not folded away.
    <details class="more whole-text" open={isOpen || asTyped(typed) !== asTyped(text)}>
      <summary>{isOpen ? t('import.yourText') : t('import.showText')}</summary>
      <div class="form wide">
        <input type="hidden" form={START_FORM} name="textHash" value={hashOf(text)} />
        <Textarea
          class="textarea mono"
          form={START_FORM}
          name="text"
          rows={14}
          aria-label={t('import.yourText')}
          value={typed}
        />
        <div class="buttons">
          <ReadAgain at={at} text={t('import.readText')} />
        </div>
      </div>
    </details>
  );
}

/** Reads the file of the preview again, with what was corrected. */
const ReadAgain = ({ at, text }: { at: string; text: string }) => (
  <button
    class="btn"
    data-variant="outline"
    form={START_FORM}
    formaction={`${at}/preview`}
    formnovalidate
  >
    {text}
  </button>
);
