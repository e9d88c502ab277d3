import type { ComponentChildren } from 'preact';
import { useMessages } from '../http/page-context';

/**
 * A table whose rows can be ticked. Boxes and buttons name the form `bulk`, as a box that asks is a form of its own and
 * forms cannot stand in each other.
 */

/**
 * The form that boxes and buttons name. Going back, a browser would tick boxes again by their places, at other rows if the
 * list has changed.
 */
export const BulkForm = ({
  children,
  ...attributes
}: {
  action: string;
  class?: string;
  children?: ComponentChildren;
}) => (
  <form id="bulk" method="post" autocomplete="off" {...attributes}>
    {children}
  </form>
);

/** A row, with its box. @param name of the field that holds the ticked values */
export function Selectable({
  name,
  value,
  label,
  children,
}: {
  name: string;
  value: string;
  /** What it selects, for screen readers. */
  label: string;
  children: ComponentChildren;
}) {
  const { t } = useMessages();
  return (
    <div class="choice">
      <input
        class="input"
        type="checkbox"
        form="bulk"
        name={name}
        value={value}
        aria-label={t('do.select', { name: label })}
      />
      <div>{children}</div>
    </div>
  );
}

/** Ticks all boxes of this name. */
export const SelectAll = ({ name }: { name: string }) => {
  const { t } = useMessages();
  return (
    <>
      {/* Enter in a field presses a form's first button: this one does nothing, the next one changes what is ticked. */}
      <button class="sr-only" tabIndex={-1} aria-hidden="true" form="bulk" formmethod="dialog" />
      <label class="choice" data-check-all={name} hidden>
        <input class="input" type="checkbox" form="bulk" />
        {t('do.selectAll')}
      </label>
    </>
  );
};

/** Does `act` with what is ticked. */
export const BulkButton = ({ act, label }: { act: string; label: string }) => (
  <button class="btn" data-variant="outline" data-size="sm" form="bulk" name="act" value={act}>
    {label}
  </button>
);
