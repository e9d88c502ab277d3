import { countsOf, type ImportView, type ReportKind } from '../../../import-export/imports/import';
import type { BadgeVariant } from '../../components/section';
import { count } from '../../components/format';

interface ReportLabels {
  /** Of one row; the API and quizctl call it the same. */
  one: ReportKind;
  many: string;
  variant: BadgeVariant;
  /** What it means for the row. */
  says: string;
}

/** The kinds of report entries, named as in the API and quizctl (docs/import-export.md). */
export const REPORT_LABELS: Record<ReportKind, ReportLabels> = {
  error: {
    one: 'error',
    many: 'Errors',
    variant: 'bad',
    says: 'These rows are left out. Fix them and import the file again: what you have by then is skipped.',
  },
  duplicate: {
    one: 'duplicate',
    many: 'Duplicates',
    variant: 'neutral',
    says: 'These rows are left out: your account or the file has the question already.',
  },
  note: {
    one: 'note',
    many: 'Notes',
    variant: 'neutral',
    says: 'What the file has and a question here has not. The rows are not left out.',
  },
};

/** Where an import stands. */
export function stateOf(view: ImportView): [string, BadgeVariant] {
  switch (view.state) {
    case 'receiving':
    case 'waiting':
      return ['waiting', 'busy'];
    case 'running':
      return [view.dryRun ? 'being read' : 'being imported', 'busy'];
    case 'completed':
      if (view.dryRun) return ['preview', 'neutral'];
      if (view.totals.imported > 0) return ['imported', 'good'];
      return [nothingImported(view), view.totals.errors > 0 ? 'bad' : 'neutral'];
    case 'stopped':
      return ['stopped', 'bad'];
    case 'failed':
      return ['failed', 'bad'];
    case 'cancelled':
      return ['cancelled', 'neutral'];
  }
}

/** `nothing imported: 3 errors, 1 duplicate` */
function nothingImported(view: ImportView): string {
  const { error, duplicate } = countsOf(view);
  const why = [
    error > 0 && count(error, 'error', 'errors'),
    duplicate > 0 && count(duplicate, 'duplicate', 'duplicates'),
  ].filter(Boolean);
  return `nothing imported: ${why.join(', ') || 'no questions'}`;
}

export const questions = (number: number): string => count(number, 'question', 'questions');

/** `12.5 MiB`, `340 KiB` */
export function bytes(size: number): string {
  const [unit, name] = size >= 1_048_576 ? [1_048_576, 'MiB'] : [1_024, 'KiB'];
  return `${(size / unit).toLocaleString('en', { maximumFractionDigits: 1 })} ${name}`;
}
