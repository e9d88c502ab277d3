import type { Form } from '../http/form';

/**
 * The version that was edited. Who has been told that it was changed meanwhile saves over the present one.
 */
export function VersionField({ form, version }: { form: Form; version: string }) {
  const seen = form.status === 409 && form.errors.length > 0 ? version : form.text('version');
  return <input type="hidden" name="version" value={seen} />;
}
