import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response } from 'express';
import { createExpressServer } from './express-server';
import { answerText, ConstantText } from './text-response';
import { JSON_TYPE } from '../request/json-text';

/**
 * Where Nest hands over what a controller returned. What is JSON is an answer of the API and leaves by `answerText`;
 * pages and files go Express's way. An adapter and not an interceptor: it costs a request nothing.
 */
export class ApiAdapter extends ExpressAdapter {
  override initHttpServer(): void {
    this.httpServer = createExpressServer(this.getInstance());
  }

  override reply(response: Response, body: unknown, status?: number): unknown {
    if (body instanceof ConstantText) return answerText(response, body.type, body);
    const text = jsonOf(response, body);
    if (text === null) return super.reply(response, body, status);
    if (status !== undefined) response.status(status);
    return answerText(response, JSON_TYPE, text);
  }
}

/** Also of a text that is JSON already (`SendsJsonText`). Null for what is no JSON. */
function jsonOf(response: Response, body: unknown): string | null {
  if (typeof body === 'string')
    return response.getHeader('Content-Type') === JSON_TYPE ? body : null;
  return typeof body === 'object' && body !== null && !isNotJson(body)
    ? JSON.stringify(body)
    : null;
}

const isNotJson = (body: object) => body instanceof StreamableFile || body instanceof Error;
