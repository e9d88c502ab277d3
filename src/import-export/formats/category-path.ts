import { quote } from './text/messages';

/** Moodle's containers and its root, which name nothing. */
const CONTAINERS = /^\$(?:course|module|system|cat\d*|coursecat|category)\$$/i;

/**
 * The category that a path of Moodle's names: its last step. `$course$/top/Science/Physics` is `Physics`;
 * a slash within a name stands twice.
 */
export function categoryOfPath(path: string): { category?: string; note?: string } {
  const steps = path
    .replaceAll('//', '\u0000')
    .split('/')
    .map((step) => step.replaceAll('\u0000', '/').trim())
    .filter((step) => step && !CONTAINERS.test(step) && step !== 'top');
  const category = steps.at(-1);
  if (!category) return {};
  return steps.length === 1
    ? { category }
    : {
        category,
        note: `Categories have no levels here: ${quote(steps.join(' / '))} becomes ${quote(category)}.`,
      };
}
