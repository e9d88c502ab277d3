import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { type ClassConstructor, plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import { Invalid, type Issue, Malformed } from '../../errors/domain-errors';
import { isStorable } from '../../text/text.rules';

/**
 * Turns a query or a body into its class and validates it by the class's decorators. Unknown fields
 * are dropped. A query's first error is a 400; a body's errors are a 422 that lists them all.
 *
 * Nest's ValidationPipe does not validate a PATCH together with what is stored, or report errors in the order of the body
 * (docs/adr/0027).
 */
@Injectable()
export class RequestValidationPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if (!metatype || (type !== 'body' && type !== 'query')) return value;
    return type === 'query'
      ? readQuery(metatype as ClassConstructor<object>, value as Record<string, unknown>)
      : readBody(metatype as ClassConstructor<object>, value);
  }
}

/** @throws Malformed with the first error */
export function readQuery<T extends object>(
  shape: ClassConstructor<T>,
  query: Record<string, unknown>,
): T {
  const known: Record<string, string | string[]> = {};
  const fields = fieldsOf(shape);
  for (const [key, value] of Object.entries(query)) {
    const name = key.split('[', 1)[0] ?? key;
    const field = fields.get(name);
    if (!field) continue;
    if (name !== key || !isText(value, field.isList))
      throw new Malformed(
        field.isList
          ? `${name} must be plain text, given once or several times: ${name}=…`
          : `${name} must be given once, as plain text: ${name}=…`,
        'invalid-parameter',
      );
    if (![value].flat().every(isStorable))
      throw new Malformed(
        `${name} contains invalid characters (NUL or malformed UTF-8).`,
        'invalid-parameter',
      );
    // HTML forms send fields that were left empty.
    if (value === '' && field.mayBeEmpty) continue;
    known[name] = value;
  }
  const instance = plainToInstance(shape, known, { exposeDefaultValues: true });
  const [error] = errorsOf(validateSync(instance, { forbidUnknownValues: true }));
  if (error) throw new Malformed(`${error.message}.`, 'invalid-parameter');
  return instance;
}

const isText = (value: unknown, isList: boolean): value is string | string[] =>
  typeof value === 'string' || (isList && Array.isArray(value));

const patches = new WeakMap<object, { merged: boolean }>();

/**
 * The body of a PATCH: any of the class's fields, at least one. What is missing is not in the result.
 * @param merged the body comes as it was sent, with unknown fields: it is valid or not together with what is stored, so the
 *   service merges and then reads it as another class
 */
export const PatchBody =
  ({ merged = false } = {}) =>
  (shape: object) =>
    void patches.set(shape, { merged });

/**
 * The class that a PATCH's body extends: any of the fields. Not PartialType of @nestjs/mapped-types, which copies validation
 * rules into a class that is no subclass: the document and the names of ignored fields read more from the prototype
 * (`Field`, `Nested`). By default it also lets null pass for every field.
 */
export const partial = <T extends object>(shape: ClassConstructor<T>) =>
  shape as ClassConstructor<Partial<T>>;

/** @throws Invalid with every error */
export function readBody<T extends object>(shape: ClassConstructor<T>, body: unknown): T {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Invalid('The body', [
      { path: '', message: 'it must be a JSON object, {…}', code: 'type' },
    ]);
  const fields = fieldsOf(shape);
  const entries = Object.entries(body).filter(([name]) => fields.has(name));
  const known = Object.fromEntries(entries);
  const patch = patches.get(shape);
  if (patch && entries.length === 0) {
    const names = [...fields.keys()].join(', ');
    throw new Invalid('The body', [
      { path: '', message: `it must have at least one of: ${names}`, code: 'empty' },
    ]);
  }
  if (patch?.merged) return body as T;
  const instance = plainToInstance(shape, known, { exposeDefaultValues: true });
  if (patch)
    for (const name of Object.keys(instance))
      if (!(name in known)) Reflect.deleteProperty(instance, name);
  const rules = { whitelist: true, forbidUnknownValues: true, skipUndefinedProperties: !!patch };
  const errors = [...unstorable(body), ...errorsOf(validateSync(instance, rules))];
  refuseAny(inBodyOrder(errors, body));
  return instance;
}

function refuseAny([first, ...rest]: Issue[]): void {
  if (first) throw new Invalid('The body', [first, ...rest]);
}

interface BodyField {
  /** Whether an empty query parameter counts as absent. */
  mayBeEmpty: boolean;
  /** Whether a query may repeat it. */
  isList: boolean;
}

const fields = new WeakMap<object, Map<string, BodyField>>();

/** The fields that a query or body of this class may have. */
export function fieldsOf(shape: ClassConstructor<object>): Map<string, BodyField> {
  let known = fields.get(shape);
  if (!known) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
    const has = (property: string, rule: string) =>
      rules.some(({ propertyName, name }) => propertyName === property && name === rule);
    known = new Map(
      rules.map(({ propertyName: property }) => [
        property,
        {
          mayBeEmpty: has(property, 'isOptional') && !has(property, 'blank'),
          isList: has(property, 'isArray'),
        },
      ]),
    );
    fields.set(shape, known);
  }
  return known;
}

/** NUL and unpaired surrogates, in any text of a body. */
function unstorable(body: object): Issue[] {
  const errors: Issue[] = [];
  for (const [path, value] of placesIn(body))
    if (typeof value === 'string' && !isStorable(value))
      errors.push({
        path,
        message: `${path} contains an invalid character (NUL or an unpaired surrogate)`,
        code: 'characters',
      });
  return errors;
}

/** In the order of the body; an error about a missing field comes where its object begins. */
function inBodyOrder(errors: Issue[], body: object): Issue[] {
  if (errors.length < 2) return errors;
  const order = new Map([...placesIn(body)].map(([path], index) => [path, index]));
  const placeOf = (path: string): number =>
    order.get(path) ?? (path === '' ? 0 : placeOf(path.replace(/(?:^|[.[])[^.[]*$/, '')));
  return errors
    .map((error) => ({ error, place: placeOf(error.path) }))
    .sort((one, other) => one.place - other.place)
    .map(({ error }) => error);
}

/** Every value of a body, which is at most 32 levels deep, under its path. */
function* placesIn(value: unknown, path = ''): Generator<[path: string, value: unknown]> {
  yield [path, value];
  if (typeof value !== 'object' || value === null) return;
  for (const [key, child] of Object.entries(value)) {
    // A field's name may be a megabyte long, and every value within it invalid.
    const name = key.slice(0, 60);
    const step = Array.isArray(value) ? `[${key}]` : path ? `.${name}` : name;
    yield* placesIn(child, path + step);
  }
}

/** The stable codes of `details`, by the name of the rule; for other rules the name in snake case. */
const CODES: Record<string, string> = {
  isString: 'type',
  isBoolean: 'type',
  isArray: 'type',
  isObject: 'type',
  itemType: 'type',
  nestedValidation: 'type',
  isIn: 'choice',
  arrayMinSize: 'too_few',
  arrayMaxSize: 'too_many',
  arrayUnique: 'duplicate',
};

/** Flattens class-validator's tree to one error for each broken rule, in the order of the input. */
function errorsOf(errors: ValidationError[], parent = '', inArray = false): Issue[] {
  return errors.flatMap((error) => {
    const path = inArray
      ? `${parent}[${error.property}]`
      : parent
        ? `${parent}.${error.property}`
        : error.property;
    const errors = own(error, path);
    const children = errorsOf(error.children ?? [], path, Array.isArray(error.value));
    // A value of the wrong type breaks every other rule as well: one error is enough.
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
  // A text is neither an array nor an object: the rule on the whole field says what is expected.
  const rules = broken.filter(([rule]) => broken.length === 1 || rule !== 'nestedValidation');
  return rules.flatMap(([rule, message]) => {
    const code = CODES[rule] ?? snakeCase(rule);
    if (rule === 'nestedValidation') return [{ path, message: `${path} must be an object`, code }];
    // A rule for items has a line for each item that breaks it.
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
