import type { QueryParameter } from './class-fields';
import type { Schema } from './schema';

/** A situation in which a request fails: the reference and the guide to errors have an entry for each. */
export interface Failure {
  status: number;
  /** Its name for links, in kebab case and unique: `invalid-api-key`. */
  name: string;
  /** A few words, as a heading. */
  title: string;
  /** The sentence in `error`, or one of its kind. */
  error: string;
  /** What to do, in a sentence or two. */
  fix: string;
  details?: object[];
  /** Of this answer, besides those of every answer. */
  headers?: Record<string, Header>;
}

export interface Header {
  description: string;
  schema: Schema;
  /** Whether every answer of this kind carries it; true unless said otherwise. */
  always?: boolean;
}

/** An answer that is no failure. */
export interface Answer {
  description: string;
  /** Absent: it has no body. */
  schema?: Schema;
  /** Of the body; `application/json` unless said otherwise. */
  type?: string;
  /** Bodies of further kinds, chosen by the query, by their media type. */
  otherTypes?: Record<string, Schema>;
  headers?: Record<string, Header>;
  /** Answers told apart by name, where there are several kinds. */
  examples?: Record<string, { summary: string; value: unknown }>;
}

/** What the code of an endpoint cannot say of itself: everything that is words. */
export interface Operation {
  /** operationId, in camel case: the name of the method in generated clients. */
  id: string;
  tag: string;
  summary: string;
  /** Markdown. */
  description?: string;
  /** For each parameter of the path. */
  path?: Record<string, { description: string; example: string }>;
  query?: QueryParameter[];
  headers?: Record<string, Header>;
  body?: Schema;
  /** Of the body; made of the examples within its schema unless given. */
  example?: unknown;
  /** Bodies of other kinds, by their media type. */
  bodies?: Record<string, { schema: Schema; example?: unknown }>;
  /** The answer with the status that the handler's decorators give it. */
  answer: Answer;
  /** A GET whose answer has no ETag: it is made while it is sent. */
  untagged?: true;
  /** Further ones, by their status. */
  answers?: Record<number, Answer>;
  failures?: Failure[];
}

/** What a guard or an interceptor adds to every endpoint that it stands before. */
export interface Trait {
  /** An API key is needed. */
  secured?: boolean;
  failures?: Failure[];
  /** Of requests. */
  headers?: Record<string, Header>;
  /** Of every answer, failures included. */
  everyAnswer?: Record<string, Header>;
  /** Of the answer that is no failure. */
  answerHeaders?: Record<string, Header>;
  answers?: Record<number, Answer>;
}

const OPERATION = Symbol('openapi operation');
const TRAIT = Symbol('openapi trait');

/** Decorator of a handler: its entry in the OpenAPI document. It costs requests nothing. */
export const Documented =
  (operation: Operation): MethodDecorator =>
  (_, __, descriptor) => {
    Reflect.defineMetadata(OPERATION, operation, descriptor.value as object);
  };

/** Decorator of a guard or an interceptor: what it adds to the entries of its endpoints. */
export const Documents =
  (trait: Trait): ClassDecorator =>
  (target) =>
    Reflect.defineMetadata(TRAIT, trait, target);

export const operationOf = (handler: object): Operation | undefined =>
  Reflect.getMetadata(OPERATION, handler) as Operation | undefined;

export const traitOf = (guard: object): Trait | undefined =>
  Reflect.getMetadata(TRAIT, guard) as Trait | undefined;
