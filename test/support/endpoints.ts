import type { Scope } from '../../src/access/accounts/scope.rules';
import { ApiDocument } from '../../src/platform/openapi/document/api-document';
import type { OperationObject } from '../../src/platform/openapi/openapi-objects';
import type { Service } from './service';

export type Method = 'get' | 'post' | 'patch' | 'put' | 'delete';

/** An endpoint below /api/v1, as the OpenAPI document has it. */
export interface Endpoint {
  method: Method;
  /** Without `/api/v1`: `/quizzes/{id}`. */
  path: string;
  /** Any of these lets a key in; none where no key is needed. */
  scopes: Scope[];
  operation: OperationObject;
}

export function endpointsOf(service: Service): Endpoint[] {
  const { paths } = service.app.get(ApiDocument).document;
  return Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/v1'))
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => ({
        method: method as Method,
        path: path.replace('/api/v1', ''),
        scopes: operation.security.flatMap((it) => (it as { bearer: Scope[] }).bearer),
        operation,
      })),
    );
}

/** The example of the request's body, where it is JSON. */
export const exampleBody = ({ operation }: Endpoint): object | undefined =>
  operation.requestBody?.content['application/json']?.example as object | undefined;
