import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response } from 'express';
import { answerJson } from './json-answer';

/**
 * Where Nest hands over what a controller returned. Objects are answers of the API and leave by `answerJson`;
 * pages and files go Express's way. An adapter and not an interceptor: it costs a request nothing.
 */
export class ApiAdapter extends ExpressAdapter {
  override reply(response: Response, body: unknown, status?: number): unknown {
    if (typeof body !== 'object' || body === null || isNotJson(body))
      return super.reply(response, body, status);
    if (status !== undefined) response.status(status);
    return answerJson(response, body);
  }
}

const isNotJson = (body: object) => body instanceof StreamableFile || body instanceof Error;
