import type { SchemaObject } from '@nestjs/swagger';

/** An OpenAPI document as it is sent: the types of @nestjs/swagger, in which what this document always has is required. */
export interface OpenApiDocument {
  openapi: string;
  paths: Record<string, Record<string, OperationObject>>;
  webhooks: Record<string, { post: OperationObject }>;
  components: { schemas: Record<string, Schema> } & Record<string, Record<string, object>>;
  tags: { name: string; description: string }[];
  [field: string]: unknown;
}

export interface OperationObject {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security: object[];
  parameters?: ParameterObject[];
  requestBody?: { required: boolean; content: Content };
  responses: Record<string, ResponseObject | Reference>;
}

export interface ParameterObject {
  name: string;
  in: 'query' | 'path' | 'header';
  required: boolean;
  description: string;
  schema: Schema;
}

export interface MediaObject {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { summary: string; description?: string; value?: unknown }>;
}

/** Bodies by media type. */
export type Content = Record<string, MediaObject>;

export interface Reference {
  $ref: string;
}

/** A header of a response. */
export interface HeaderObject {
  description: string;
  /** Whether every response of this kind carries it. */
  required?: boolean;
  schema: Schema;
}

export interface ResponseObject {
  description: string;
  headers?: Record<string, HeaderObject | Reference>;
  content?: Content;
}

type Redefined = 'example' | 'items' | 'properties' | 'anyOf' | 'enum' | 'examples' | 'default';

/** The subset of JSON Schema 2020-12 that the document uses. */
export interface Schema extends Omit<SchemaObject, Redefined> {
  $ref?: string;
  const?: unknown;
  default?: unknown;
  enum?: readonly unknown[];
  examples?: unknown[];
  items?: Schema;
  properties?: Record<string, Schema>;
  anyOf?: Schema[];
}
