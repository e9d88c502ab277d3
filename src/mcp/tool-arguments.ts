import { Malformed } from '../platform/errors/domain-errors';
import { LimitField, OffsetField, QueryText } from '../platform/http/request/query-fields';
import { DEFINITIONS, type ToolName } from './tool-definitions';

/** Arguments of a tool as an assistant sends them. */
export type Arguments = Record<string, unknown>;

/** A quiz, and a page of its questions. */
export class QuizPageQuery {
  @QueryText() id: string = '';
  @LimitField(100) limit: number = 50;
  @OffsetField() offset: number = 0;
}

/** Unknown arguments in one error. */
const MOST_NAMED = 10;

/** An argument that is ignored would surprise whoever sent it. @throws Malformed */
export function checkNames(name: ToolName, args: Arguments): void {
  const { properties, required = [] } = DEFINITIONS[name] as {
    properties: object;
    required?: string[];
  };
  const takes = `${name} takes: ${Object.keys(properties).join(', ')}.`;
  const unknown = Object.keys(args)
    .filter((it) => !Object.hasOwn(properties, it))
    .slice(0, MOST_NAMED)
    .map((it) => JSON.stringify(it.slice(0, 60)));
  if (unknown.length > 0)
    throw new Malformed(`${name} has no argument ${unknown.join(' or ')}. ${takes}`);
  // Of a body the services name what is missing, together with everything else.
  if (required.includes('id') && (args.id ?? '') === '')
    throw new Malformed(`id is required. ${takes}`);
}

/**
 * Refuses values of another type than the schema's, which the rules of a query would read as text, and numbers out of
 * range. @throws Malformed
 */
export function checkTypes(name: ToolName, args: Arguments): void {
  const errors = Object.entries(args).flatMap(([argument, value]) => {
    const error = typeError(name, argument, value);
    return error ? [`${argument} must be ${error}.`] : [];
  });
  if (errors.length > 0) throw new Malformed(errors.join(' '));
}

/** As far as the schema of an argument is checked here. */
interface ArgumentSchema {
  type?: string;
  minimum?: number;
  maximum?: number;
}

/** What the argument must be; null if it is right or absent. */
function typeError(name: ToolName, argument: string, value: unknown): string | null {
  const properties: Record<string, ArgumentSchema> = DEFINITIONS[name].properties;
  const schema = properties[argument];
  if (value === null || value === undefined || schema?.type === undefined) return null;
  return EXPECTED[schema.type]?.(value, schema) ?? null;
}

/** By type: what it must be, with an example made of the value where that is possible; null if it is right. */
const EXPECTED: Readonly<
  Record<string, (value: unknown, schema: ArgumentSchema) => string | null>
> = {
  string: (value) => (typeof value === 'string' ? null : 'a string'),
  boolean: (value) =>
    typeof value === 'boolean' ? null : 'true or false, without quotation marks',
  integer: (value, { minimum = -Infinity, maximum = Infinity }) => {
    if (typeof value !== 'number' || !Number.isInteger(value))
      return 'an integer such as 10, without quotation marks';
    if (value >= minimum && value <= maximum) return null;
    return maximum === Infinity
      ? `an integer, ${minimum} or more`
      : `an integer from ${minimum} to ${maximum}`;
  },
  array: (value) => {
    if (Array.isArray(value) && value.every((it) => typeof it === 'string')) return null;
    if (typeof value !== 'string' || value.length > 200) return 'an array of strings';
    const items = value.split(',').map((it) => it.trim());
    return `an array of strings: ${JSON.stringify(items)}`;
  },
};

/** Lists whose items may contain commas, which separate the items in a query. */
const LISTED = ['category', 'tags'];

/** Arguments as the query of the API, so that its rules check them. */
export function asQuery(args: Arguments): Record<string, string | string[]> {
  const asText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  const query: Record<string, string | string[]> = {};
  for (const [name, value] of Object.entries(args)) {
    if (value === null || value === undefined) continue;
    if (LISTED.includes(name))
      query[name] = [value].flat().map((it) => asText(it).replace(/[\\,]/g, '\\$&'));
    else query[name] = Array.isArray(value) ? value.map(asText) : asText(value);
  }
  return query;
}
