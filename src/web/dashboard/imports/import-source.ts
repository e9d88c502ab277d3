import type { ImportOptions } from '../../../import-export/imports/import';
import { Invalid, type Issue } from '../../../platform/errors/domain-errors';
import { isStorable, tidy } from '../../../platform/text/text.rules';
import type { Form } from '../../http/form';

/** Characters of a source or a licence, as POST /imports takes them. */
export const ATTRIBUTION_LENGTH = 500;

/**
 * Where the questions of a file come from, as the form says it; what is empty is left to the file.
 * @throws Invalid beside the field
 */
export function attributionOf(form: Form): Pick<ImportOptions, 'source' | 'licence'> {
  const attribution: Pick<ImportOptions, 'source' | 'licence'> = {};
  const errors: Issue[] = [];
  for (const name of ['source', 'licence'] as const) {
    const text = tidy(form.text(name));
    if (Array.from(text).length > ATTRIBUTION_LENGTH)
      errors.push({
        path: name,
        message: `Must have at most ${ATTRIBUTION_LENGTH} characters`,
        code: 'too_long',
      });
    else if (!isStorable(text))
      errors.push({ path: name, message: 'Contains invalid characters', code: 'not_text' });
    else if (text) attribution[name] = text;
  }
  const [first, ...others] = errors;
  if (first) throw new Invalid('The form', [first, ...others]);
  return attribution;
}
