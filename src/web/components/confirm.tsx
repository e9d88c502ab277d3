import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/**
 * A destructive act, in two steps: the first opens a box that names the object and the effect, the second,
 * in words, does it. The box is a popover: the browser opens it, closes it with Escape, and needs no script.
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
  const id = `confirm-${useId()}`;
  return (
    <>
      <button
        type="button"
        class="btn"
        data-variant="outline"
        data-size="sm"
        popovertarget={id}
        aria-haspopup="dialog"
      >
        {label}
      </button>
      <div id={id} popover="auto" class="confirm" role="dialog" aria-label={question}>
        <form method="post" action={action}>
          <strong>{question}</strong>
          <p>{effect}</p>
          {children}
          <div class="buttons">
            <button class="btn" data-variant="destructive">
              {button}
            </button>
            <button
              type="button"
              class="btn"
              data-variant="ghost"
              popovertarget={id}
              popovertargetaction="hide"
            >
              Cancel
            </button>
          </div>
        </form>
      </div>
    </>
  );
}
