import type { Import, ReportKind } from '../../../import-export/imports/import';
import type { BadgeVariant } from '../../components/section';
import { count } from '../../components/format';

interface ReportLabels {
  many: string;
  variant: BadgeVariant;
  /** What it means for the row. */
  says: string;
}

/** The kinds of report entries, named as in the API and quizctl (docs/import-export.md). */
export const REPORT_LABELS: Record<ReportKind, ReportLabels> = {
  error: {
    many: 'Errors',
    variant: 'bad',
    says: 'These rows are left out. Fix them and import the file again: what you have by then is skipped.',
  },
  duplicate: {
    many: 'Duplicates',
    variant: 'neutral',
    says: 'These rows are left out: your account or the file has the question already.',
  },
  note: {
    many: 'Notes',
    variant: 'neutral',
    says: 'What the file has and a question here has not. The rows are not left out.',
  },
};

/** Where an import stands. */
export function stateOf({ state, dryRun, totals }: Import): [string, BadgeVariant] {
  if (state === 'receiving' || state === 'waiting') return ['waiting', 'busy'];
  if (state === 'running') return [dryRun ? 'being read' : 'being imported', 'busy'];
  if (state === 'cancelled') return [state, 'neutral'];
  if (state !== 'completed') return [state, 'bad'];
  if (dryRun) return ['preview', 'neutral'];
  if (totals.imported > 0) return ['imported', 'good'];
  const { errors, duplicates } = totals;
  const why = [
    errors > 0 && count(errors, 'error', 'errors'),
    duplicates > 0 && count(duplicates, 'duplicate', 'duplicates'),
  ].filter(Boolean);
  return [`nothing imported: ${why.join(', ') || 'no questions'}`, errors > 0 ? 'bad' : 'neutral'];
}

export const questions = (number: number): string => count(number, 'question', 'questions');

/** `12.5 MiB`, `340 KiB` */
export function bytes(size: number): string {
  const [unit, name] = size >= 1_048_576 ? [1_048_576, 'MiB'] : [1_024, 'KiB'];
  return `${(size / unit).toLocaleString('en', { maximumFractionDigits: 1 })} ${name}`;
}
