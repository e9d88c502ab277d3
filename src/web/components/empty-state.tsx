import type { ComponentChildren } from 'preact';

/** Where a list has nothing to show: says so, and offers the next step or command. */
export function EmptyState({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty-state">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
