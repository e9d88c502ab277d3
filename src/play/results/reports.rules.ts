/** Why a player reports a question. */
export const REPORT_REASONS = {
  answer: 'The marked answer is wrong',
  unclear: 'The question is unclear',
  offensive: 'It is offensive',
  other: 'Something else',
} as const;
export type ReportReason = keyof typeof REPORT_REASONS;
