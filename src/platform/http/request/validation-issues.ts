import type { ValidationError } from 'class-validator';
import type { Issue } from '../../errors/domain-errors';

/** The stable codes of `details`, by the name of the broken rule; of other rules the name in snake case. */
const CODES: Record<string, string> = {
  isString: 'type',
  isBoolean: 'type',
  isArray: 'type',
  itemType: 'type',
  nestedValidation: 'type',
  isIn: 'choice',
  arrayMinSize: 'too_few',
  arrayMaxSize: 'too_many',
};

/** Flattens class-validator's tree of errors to one error for each broken rule, in the order of the input. */
export function errorsOf(errors: ValidationError[], parent = '', inArray = false): Issue[] {
  return errors.flatMap((error) => {
    const path = inArray
      ? `${parent}[${error.property}]`
      : parent
        ? `${parent}.${error.property}`
        : error.property;
    const errors = own(error, path);
    const children = errorsOf(error.children ?? [], path, Array.isArray(error.value));
    // What is of the wrong type breaks every other rule as well: saying so once is enough.
    const wrong = new Set(errors.filter(({ code }) => code === 'type').map((error) => error.path));
    const saidBefore = ({ path, code }: Issue) =>
      (code !== 'type' && wrong.has(path)) || placesAround(path).some((place) => wrong.has(place));
    return [...errors, ...children].filter((error) => !saidBefore(error));
  });
}

function own(error: ValidationError, path: string): Issue[] {
  const broken = Object.entries(error.constraints ?? {});
  if (broken.length === 0) return [];
  if (error.value === undefined)
    return [{ path, message: `${path} is required`, code: 'required' }];
  // A text is no array and no object either: the rule on the whole field says what is expected.
  const rules = broken.filter(([rule]) => broken.length === 1 || rule !== 'nestedValidation');
  return rules.flatMap(([rule, message]) => {
    const code = CODES[rule] ?? snakeCase(rule);
    if (rule === 'nestedValidation') return [{ path, message: `${path} must be an object`, code }];
    // A rule on items has a line for each item that breaks it.
    return message.split('\n').map((line) => ({
      path: path + (/^\$path(\[\d+\])/.exec(line)?.[1] ?? ''),
      message: line.replaceAll('$path', path),
      code,
    }));
  });
}

/** `a`, `a.b` for `a.b[3]`. */
const placesAround = (path: string) =>
  [...path.matchAll(/[.[]/g)].map(({ index }) => path.slice(0, index));

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
}
