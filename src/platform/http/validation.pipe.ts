import { Injectable, type ArgumentMetadata, type PipeTransform } from '@nestjs/common';
import { plainToInstance, type ClassConstructor } from 'class-transformer';
import { getMetadataStorage, validateSync } from 'class-validator';
import { Invalid, Malformed, type Fault } from '../domain-errors';
import { isStorable } from '../text.rules';
import { faultsOf } from './validation-faults';

/**
 * Turns a query or a body into its class and checks it against the class's decorators. Unknown fields
 * are dropped. A query's first fault is a 400; a body's faults are a 422 that lists them all.
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

/** @throws Malformed with the first fault */
export function readQuery<T extends object>(
  shape: ClassConstructor<T>,
  query: Record<string, unknown>,
): T {
  const known: Record<string, string> = {};
  const names = propertiesOf(shape);
  for (const [key, value] of Object.entries(query)) {
    const name = key.split('[', 1)[0] ?? key;
    if (!names.has(name)) continue;
    if (name !== key || typeof value !== 'string')
      throw new Malformed(`${name} must be given once, as plain text: ${name}=…`);
    if (!isStorable(value))
      throw new Malformed(`${name} contains what is not text (NUL, or bytes that are not UTF-8).`);
    known[name] = value;
  }
  return checked(shape, known);
}

/**
 * Queries that were read a moment ago, by their class and what they say: of a thousand requests most ask one of a
 * few questions, and reading one anew costs 25 µs of CPU, finding it here 1. Frozen, since it is shared.
 */
const read = new WeakMap<object, Map<string, object>>();
const READ_AT_MOST = 1_000;
const LONGEST_KEPT = 300;

function checked<T extends object>(shape: ClassConstructor<T>, known: Record<string, string>): T {
  let queries = read.get(shape) as Map<string, T> | undefined;
  if (!queries) read.set(shape, (queries = new Map<string, T>()));
  const text = JSON.stringify(known);
  const before = queries.get(text);
  if (before) return before;
  const instance = plainToInstance(shape, known, { exposeDefaultValues: true });
  const [fault] = faultsOf(validateSync(instance, { forbidUnknownValues: true }));
  if (fault) throw new Malformed(`${fault.message}.`);
  if (text.length > LONGEST_KEPT) return instance;
  if (queries.size >= READ_AT_MOST) queries.clear();
  queries.set(text, Object.freeze(instance));
  return instance;
}

/** @throws Invalid with every fault */
export function readBody<T extends object>(shape: ClassConstructor<T>, body: unknown): T {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Invalid('The body', [
      { path: '', message: 'it must be a JSON object, {…}', code: 'type' },
    ]);
  const known = Object.entries(body).filter(([name]) => propertiesOf(shape).has(name));
  const instance = plainToInstance(shape, Object.fromEntries(known), { exposeDefaultValues: true });
  const faults = [
    ...unstorable(body),
    ...faultsOf(validateSync(instance, { whitelist: true, forbidUnknownValues: true })),
  ];
  const [first, ...rest] = faults;
  if (first) throw new Invalid('The body', [first, ...rest]);
  return instance;
}

const properties = new WeakMap<object, Set<string>>();

function propertiesOf(shape: ClassConstructor<object>): Set<string> {
  let names = properties.get(shape);
  if (!names) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
    properties.set(shape, (names = new Set(rules.map((rule) => rule.propertyName))));
  }
  return names;
}

/** NUL and unpaired surrogates, in any text of a body (which is at most 32 levels deep). */
function unstorable(value: unknown, path = ''): Fault[] {
  if (typeof value === 'string')
    return isStorable(value)
      ? []
      : [
          {
            path,
            message: `${path} contains a character that is not text (NUL or an unpaired surrogate)`,
            code: 'characters',
          },
        ];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]) => {
    // A field's name may be a megabyte long, and every value within it may be at fault.
    const name = key.slice(0, 60);
    return unstorable(
      child,
      Array.isArray(value) ? `${path}[${key}]` : path ? `${path}.${name}` : name,
    );
  });
}
