import type { ValidationError } from 'class-validator';
import type { Fault } from '../domain-errors';

/** The stable codes of `details`, by class-validator's rule. */
const CODES: Record<string, string> = {
  isString: 'type',
  isBoolean: 'type',
  isArray: 'type',
  nestedValidation: 'type',
  isIn: 'choice',
  arrayMinSize: 'too_few',
  arrayMaxSize: 'too_many',
};

/** Flattens class-validator's tree of errors to one fault for each broken rule, in the order of the input. */
export function faultsOf(errors: ValidationError[], parent = '', inArray = false): Fault[] {
  return errors.flatMap((error) => {
    const path = inArray
      ? `${parent}[${error.property}]`
      : parent
        ? `${parent}.${error.property}`
        : error.property;
    return [
      ...own(error, path),
      ...faultsOf(error.children ?? [], path, Array.isArray(error.value)),
    ];
  });
}

function own(error: ValidationError, path: string): Fault[] {
  const broken = Object.entries(error.constraints ?? {});
  if (broken.length === 0) return [];
  if (error.value === undefined)
    return [{ path, message: `${path} is required`, code: 'required' }];
  // A value of the wrong type breaks every other rule as well: saying so once is enough.
  const type = broken.find(([rule]) => CODES[rule] === 'type');
  return (type ? [type] : broken).map(([rule, message]) => ({
    path,
    message:
      rule === 'nestedValidation' ? `${path} must be an object` : message.replaceAll('$path', path),
    code: CODES[rule] ?? snakeCase(rule),
  }));
}

function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
}
