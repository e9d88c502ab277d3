/** An OpenAPI document as it is sent. */
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
  examples?: Record<string, { summary: string; description?: string; value?: unknown }>;
}

export interface Reference {
  $ref: string;
}

/** Of a response. */
export interface HeaderObject {
  description: string;
  /** Whether every response of this kind carries it. */
  required?: boolean;
  schema: Schema;
}

export interface ResponseObject {
  description: string;
  headers?: Record<string, HeaderObject | Reference>;
  content?: Record<string, MediaObject>;
}

/** JSON Schema 2020-12, as far as the interface needs it. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  title?: string;
  description?: string;
  enum?: readonly unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  anyOf?: Schema[];
}
