/** Up and down, each a step: a form of its own, so that it works without a script. */
export function MoveButtons({
  action,
  name,
  first,
  last,
}: {
  action: string;
  /** What is moved, for screen readers. */
  name: string;
  first: boolean;
  last: boolean;
}) {
  return (
    <form method="post" action={action} class="moves">
      <button
        class="btn"
        data-variant="outline"
        data-size="sm"
        name="by"
        value="up"
        disabled={first}
        aria-label={`Move ${name} up`}
        title="Up"
      >
        ↑
      </button>
      <button
        class="btn"
        data-variant="outline"
        data-size="sm"
        name="by"
        value="down"
        disabled={last}
        aria-label={`Move ${name} down`}
        title="Down"
      >
        ↓
      </button>
    </form>
  );
}
