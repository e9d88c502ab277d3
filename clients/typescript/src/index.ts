export { QuizClient } from './client.ts';
export type {
  Call,
  CallOptions,
  ChangeOptions,
  ClientOptions,
  CreateOptions,
} from './transport.ts';
export type { IterateOptions, Page } from './pages.ts';
export {
  ApiError,
  AuthenticationError,
  BadRequestError,
  ConflictError,
  ConnectionError,
  NotFoundError,
  PermissionError,
  PreconditionFailedError,
  QuizServiceError,
  RateLimitError,
  ServerError,
  ValidationError,
  type Issue,
  type Refusal,
} from './errors.ts';
export { verifyWebhook, WebhookVerificationError, type Delivery } from './webhooks.ts';
export type * from './types.ts';
export type { components, operations, paths, webhooks } from './api.ts';
