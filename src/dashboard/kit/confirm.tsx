import type { ComponentChildren } from 'preact';

/**
 * A destructive act, in two steps without a script: the first opens a box that names the object and the
 * effect, the second, in words, does it.
 */
export function Confirm({
  label,
  action,
  question,
  effect,
  button,
  children,
}: {
  /** On the button that opens the box, `Revoke`. */
  label: string;
  /** Where the form is posted to. */
  action: string;
  /** Names the object: `Revoke “Production”?` */
  question: string;
  /** What happens then, and that it cannot be undone where it cannot. */
  effect: ComponentChildren;
  /** On the button that does it, `Revoke key`. */
  button: string;
  /** Further fields. */
  children?: ComponentChildren;
}) {
  return (
    <details class="confirm">
      <summary class="btn" data-variant="outline" data-size="sm">
        {label}
      </summary>
      <form method="post" action={action} class="confirm-box">
        <strong>{question}</strong>
        <p>{effect}</p>
        {children}
        <button class="btn" data-variant="destructive" data-size="sm">
          {button}
        </button>
      </form>
    </details>
  );
}
