import type { ImportView, RemarkKind } from '../../exchange/imports/import';
import type { PillTone } from '../kit/pill-tone';
import { count } from '../kit/words';

/** What is said of a row, as people say it. */
export const REMARK_WORDS: Record<RemarkKind, [string, PillTone]> = {
  fault: ['left out', 'bad'],
  duplicate: ['duplicate', 'quiet'],
  similar: ['near duplicate', 'busy'],
  note: ['note', 'quiet'],
};

/** Where an import stands. */
export function stateOf(view: ImportView): [string, PillTone] {
  switch (view.state) {
    case 'receiving':
    case 'waiting':
      return ['waiting', 'busy'];
    case 'running':
      return [view.dryRun ? 'being read' : 'being imported', 'busy'];
    case 'completed':
      return view.dryRun ? ['preview', 'quiet'] : ['imported', 'good'];
    case 'stopped':
      return ['stopped', 'bad'];
    case 'failed':
      return ['failed', 'bad'];
    case 'cancelled':
      return ['cancelled', 'quiet'];
  }
}

export const questions = (number: number): string => count(number, 'question', 'questions');

/** `12.5 MiB`, `340 KiB` */
export function bytes(size: number): string {
  const [unit, name] = size >= 1_048_576 ? [1_048_576, 'MiB'] : [1_024, 'KiB'];
  return `${(size / unit).toLocaleString('en', { maximumFractionDigits: 1 })} ${name}`;
}
