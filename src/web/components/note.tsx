import type { ComponentChildren } from 'preact';
import { Icon } from './icon';
import type { BadgeVariant } from './badge-variant';

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
