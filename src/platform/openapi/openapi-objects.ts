import type { Schema } from './schema';

/** An OpenAPI document as it is sent. */
export interface OpenApiDocument {
  openapi: '3.1.1';
  paths: Record<string, Record<string, OperationObject>>;
  webhooks: Record<string, { post: object }>;
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
  requestBody?: { required: boolean; content: Record<string, MediaObject> };
  responses: Record<string, ResponseObject | Reference>;
}

export interface ParameterObject {
  name: string;
  in: 'query' | 'path' | 'header';
  required: boolean;
  description: string;
  schema: Schema;
  [field: string]: unknown;
}

export interface MediaObject {
  schema: Schema;
  example?: unknown;
  examples?: Record<string, { summary: string; description?: string; value: unknown }>;
}

export interface Reference {
  $ref: string;
}

/** Of an answer. */
export interface HeaderObject {
  description: string;
  /** Whether every answer of this kind carries it. */
  required?: boolean;
  schema: Schema;
}

export interface ResponseObject {
  description: string;
  headers?: Record<string, object>;
  content?: Record<string, MediaObject>;
}
