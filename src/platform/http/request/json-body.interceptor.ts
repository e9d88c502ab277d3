import {
  applyDecorators,
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
  UseInterceptors,
} from '@nestjs/common';
import express, { type Request, type Response } from 'express';
import { visit } from 'jsonc-parser';
import type { Observable } from 'rxjs';
import { Malformed, TooLarge } from '../../errors/domain-errors';
import { LIMITS } from '../../limits/limits';
import { Fails } from '../../openapi/failures';
import { MEBIBYTE } from '../../sizes';
import { inviteBody } from '../server/unreadable-requests';
import { nameIgnoredFields } from './ignored-parameters.interceptor';

// Fifty long questions with their answers take less than a tenth of 1 MiB; with sixty answers each they have 9,302
// values.
const LIMIT = LIMITS.requests.bodyBytes.value;
const DEPTH = LIMITS.requests.bodyDepth.value;
const VALUES = LIMITS.requests.bodyValues.value;
const IN_WORDS = { size: `${LIMIT / MEBIBYTE} MiB`, values: VALUES.toLocaleString('en') };

const readRaw = express.raw({ type: () => true, limit: LIMIT });
const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Reads the request's body as JSON. An interceptor and not a middleware, because it must run after the
 * guards: the body of a caller without a key or plan is never read (contract, order of checks).
 * @throws Malformed (400) if it is not JSON or too deep, TooLarge (413) above the other limits
 */
@Injectable()
class JsonBodyInterceptor implements NestInterceptor {
  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    requireJson(request.headers['content-type'] ?? '');
    // Refused before the body is sent. (`express.raw` would wait for its end.)
    if (Number(request.headers['content-length']) > LIMIT)
      throw tooLarge(`is larger than ${IN_WORDS.size}`);
    inviteBody(request, response);
    request.body = parse(await readBody(request, response));
    nameIgnoredFields(context, request.body);
    return next.handle();
  }
}

/** The body is read as JSON. */
export const JsonBody = () =>
  applyDecorators(
    UseInterceptors(JsonBodyInterceptor),
    Fails(
      {
        status: 400,
        name: 'body-not-json',
        title: 'The body is not JSON',
        error: 'The body is not valid JSON at line 3, column 14.',
        fix: `Send the header \`Content-Type: application/json\` and one JSON object in UTF-8, nested at most ${DEPTH} levels deep. The position is counted in lines and characters, from 1.`,
      },
      {
        status: 413,
        name: 'body-too-large',
        title: 'The body is too large',
        error: `The body is larger than ${IN_WORDS.size}. Send less in one request.`,
        fix: `Stay below ${IN_WORDS.size} and ${IN_WORDS.values} values: split what you send into several requests.`,
      },
    ),
  );

function readBody(request: Request, response: Response): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    readRaw(request, response, (error?: unknown) => {
      const { status, type } = (error ?? {}) as { status?: number; type?: string };
      if (!error) resolve(Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0));
      else if (status === 413) reject(tooLarge(`is larger than ${IN_WORDS.size}`));
      else if (type === 'encoding.unsupported')
        reject(
          notJson(
            'The Content-Encoding of the body is not supported. Send it as it is, or with gzip.',
          ),
        );
      else reject(notJson('The body could not be read. Send it whole, as JSON in UTF-8.'));
    });
  });
}

const tooLarge = (what: string) =>
  new TooLarge(`The body ${what}. Send less in one request.`, 'body-too-large');

function parse(bytes: Buffer): unknown {
  if (bytes.length === 0) throw notJson('The body is empty. Send it as JSON.');
  const text = orNotJson(
    () => utf8.decode(bytes),
    () => 'The body is not valid UTF-8. Save or encode it as UTF-8.',
  );
  const body = orNotJson(
    (): unknown => JSON.parse(text),
    () => `The body is not valid JSON${placeOfError(text)}.`,
  );
  sanitize(body);
  return body;
}

function orNotJson<T>(read: () => T, error: () => string): T {
  try {
    return read();
  } catch {
    throw notJson(error());
  }
}

const notJson = (message: string) => new Malformed(message, 'body-not-json');

const JSON_MEDIA_TYPE = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^\s;"]*)/i;

/** JSON is UTF-8 (RFC 8259, 8.1). Text in another encoding would be stored garbled. */
function requireJson(contentType: string): void {
  if (!JSON_MEDIA_TYPE.test(contentType))
    throw notJson('Send the body as JSON, with the header Content-Type: application/json.');
  const [, charset = 'utf-8'] = CHARSET.exec(contentType) ?? [];
  if (!/^(?:utf-?8|us-ascii)$/i.test(charset))
    throw notJson('Send the body in UTF-8: no other charset is supported for JSON.');
}

/** In characters. To find the error in 1 MiB blocks the event loop for 0.2 s, ten times as long as JSON.parse. */
const LONGEST_LOCATED = 262_144;

/** ` at line 3, column 14`; empty if the text is long, or nested many thousand levels deep. */
function placeOfError(text: string): string {
  if (text.length > LONGEST_LOCATED) return '';
  let place = '';
  try {
    visit(
      text,
      {
        onError: (_error, _offset, _length, line, character) => {
          place = ` at line ${line + 1}, column ${character + 1}`;
          throw new StopAtFirst();
        },
      },
      { disallowComments: true },
    );
  } catch (error) {
    if (!(error instanceof StopAtFirst || error instanceof RangeError)) throw error;
  }
  return place;
}

class StopAtFirst extends Error {}

/** class-transformer takes an object's own `constructor` for its class and calls it. */
const NOT_FIELDS = ['constructor', '__proto__'];

/**
 * Drops names that are not fields, and enforces the limits. A body nested 400,000 levels deep can be parsed, but
 * everything recursive after it would overflow; validating 1 MiB of `{},{},{},…` would block the event loop for ten
 * seconds.
 */
function sanitize(body: unknown): void {
  let values = 0;
  const enter = (value: unknown, levels: number): void => {
    if (++values > VALUES) throw tooLarge(`holds more than ${IN_WORDS.values} values`);
    if (typeof value !== 'object' || value === null) return;
    if (levels === 0)
      throw notJson(
        `The body is nested more than ${DEPTH} levels deep. Send it with fewer levels.`,
      );
    for (const name of NOT_FIELDS)
      if (Object.hasOwn(value, name)) Reflect.deleteProperty(value, name);
    for (const child of Object.values(value)) enter(child, levels - 1);
  };
  enter(body, DEPTH);
}
