import type { BadgeVariant } from './badge-variant';

/** A state as a word with a colour: the word alone says it. */
export function Badge({ variant, children }: { variant: BadgeVariant; children: string }) {
  return (
    <span class="status-badge" data-variant={variant}>
      {children}
    </span>
  );
}
