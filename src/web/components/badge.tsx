import type { ComponentChildren } from 'preact';
import { Icon } from './icon';

/** What a state means to whoever looks: good, under way, bad, or nothing to heed. */
export type BadgeVariant = 'good' | 'busy' | 'bad' | 'neutral';

/** A state as a word with a colour: the word alone says it. */
export function Badge({ variant, children }: { variant: BadgeVariant; children: string }) {
  return (
    <span class="status-badge" data-variant={variant}>
      {children}
    </span>
  );
}

/** Something to know before the rest of the page, with what can be done about it. */
export function Note({
  variant,
  title,
  children,
}: {
  variant: BadgeVariant;
  title: string;
  children?: ComponentChildren;
}) {
  return (
    <section class="note" data-variant={variant} aria-label={title}>
      <Icon name="warning" />
      <div>
        <h2>{title}</h2>
        {children}
      </div>
    </section>
  );
}
