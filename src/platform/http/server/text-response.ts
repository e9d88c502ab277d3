import { hash, webcrypto } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import { Header } from '@nestjs/common';
import type { Request, Response } from 'express';
import { withoutKeys } from './access-log';

/**
 * JSON text from PostgreSQL that is passed on unchanged: parsing, mapping and serialising the rows again
 * costs 43 µs of CPU more for a page of ten quizzes. Bytes if it may be long: decoding 4 MiB to a string and
 * encoding it again blocks the event loop for 50 ms.
 */
export class JsonText<Text extends string | Buffer = string> {
  /** @param version of the resource, where it has one (see `entityTag`) */
  constructor(
    readonly text: Text,
    readonly version = '',
  ) {}
}

export const EMPTY_LIST = new JsonText('[]');

/** A body of the specification, `{success: true, data, meta}`, around text that is already JSON. */
export function successBody(text: JsonText, meta?: object): string;
export function successBody(text: JsonText<Buffer>): Buffer;
export function successBody({ text }: JsonText<string | Buffer>, meta?: object): string | Buffer {
  if (typeof text !== 'string') return Buffer.concat([BEFORE, text, AFTER]);
  return meta
    ? `{"success":true,"data":${text},"meta":${JSON.stringify(meta)}}`
    : `{"success":true,"data":${text}}`;
}

const BEFORE = Buffer.from('{"success":true,"data":');
const AFTER = Buffer.from('}');

/** Of files that are compressed already. */
export const GZIP_TYPE = 'application/gzip';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** For handlers that return the body as text. */
export const SendsJsonText = () => Header('Content-Type', JSON_TYPE);

/** A smaller response fits into one packet anyway, so compressing it gains nothing. */
const WORTH_COMPRESSING = 1_024;

/**
 * Up to this size, compressing and hashing take less than a millisecond, and handing them to another thread longer.
 */
const AT_ONCE = 65_536;

/** For our responses quality 1 compresses within a few per cent of gzip's default, in half of its time. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };

/** A text that is sent often: its ETag, bytes and compressed forms are made once, when they are first needed. */
export class ConstantText {
  /** In bytes of UTF-8. */
  readonly length: number;
  private tag: string | undefined;
  private readonly forms = new Map<Encoding, Buffer>();

  /**
   * @param version of the resource, where it has one (see `entityTag`)
   * @param compress for files that are worth more time than responses of the API
   */
  constructor(
    readonly type: string,
    private text: string | Buffer,
    private readonly version?: string,
    private readonly compress: Compress = compressed,
  ) {
    this.length = Buffer.byteLength(text);
  }

  get etag(): string {
    return (this.tag ??= withVersion(tagOf(this.text), this.version));
  }

  get plain(): Buffer {
    return (this.text = bytesOf(this.text));
  }

  async compressed(encoding: Encoding): Promise<Buffer> {
    let form = this.forms.get(encoding);
    if (!form) this.forms.set(encoding, (form = await this.compress(this.plain, encoding)));
    return form;
  }
}

/**
 * Sends an API response or a constant page: reads get a validator, and 304 if the client already has it;
 * compressed if the client supports it. Other pages are not sent by it and are never compressed (docs/adr/0013).
 */
export async function sendText(
  response: Response,
  type: string,
  content: string | Buffer | ConstantText,
): Promise<void> {
  const request = response.req;
  const constant = content instanceof ConstantText ? content : null;
  const given = constant?.plain ?? (content as string | Buffer);
  const text = given.length > AT_ONCE ? bytesOf(given) : given;
  if (isRead(request, response)) {
    setCaching(request, response);
    const { version } = response.locals as { version?: string };
    const etag = constant?.etag ?? (await entityTag(text, version));
    response.setHeader('ETag', etag);
    if (holds(request.headers['if-none-match'], etag)) {
      response.removeHeader('Content-Type');
      response.status(304).end();
      return;
    }
  }
  response.setHeader('Content-Type', type);
  const length = Buffer.byteLength(text);
  const encoding = length < WORTH_COMPRESSING || type === GZIP_TYPE ? null : encodingFor(request);
  if (encoding) {
    response.setHeader('Content-Encoding', encoding);
    response.setHeader('Vary', response.getHeader('Vary') ?? 'Accept-Encoding');
  }
  const body = encoding
    ? await (constant?.compressed(encoding) ?? compressed(bytesOf(text), encoding))
    : text;
  response.setHeader('Content-Length', encoding ? body.length : length);
  response.end(body);
}

function bytesOf(text: string | Buffer): Buffer {
  return typeof text === 'string' ? Buffer.from(text) : text;
}

/**
 * Whether If-None-Match names the tag. Not Express's `fresh`, which ignores the header when the request also says
 * `Cache-Control: no-cache`, as Node's fetch does. Our tags contain no comma.
 */
function holds(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const tags = ifNoneMatch.split(',').map((tag) => tag.trim());
  return tags.some((tag) => tag === '*' || tag.replace(/^W\//, '') === etag.slice(2));
}

/** Set by requestContext: responses are not cached unless a route says otherwise. */
const KEPT_BY_NOBODY = 'no-store';

/** Whether it is a successful GET or HEAD, with a key or of a route that sets how long its responses are fresh. */
function isRead({ method, accountId }: Request, response: Response): boolean {
  return (
    (method === 'GET' || method === 'HEAD') &&
    response.statusCode === 200 &&
    (accountId !== undefined || response.getHeader('Cache-Control') !== KEPT_BY_NOBODY)
  );
}

/**
 * A response to a key is private; one whose URL contains a key is not stored at all, since caches use the URL as key.
 */
function setCaching(request: Request, response: Response): void {
  const isOpen = response.getHeader('Cache-Control') !== KEPT_BY_NOBODY;
  const vary = isOpen ? 'Accept-Encoding' : 'Authorization, X-Api-Key, Accept-Encoding';
  const before = response.getHeader('Vary');
  response.setHeader('Vary', before === undefined ? vary : `${before as string}, ${vary}`);
  if (carriesKey(request.originalUrl)) response.setHeader('Cache-Control', KEPT_BY_NOBODY);
  else if (!isOpen) response.setHeader('Cache-Control', 'private, no-cache');
}

const carriesKey = (url: string) => url.includes('?') && withoutKeys(url) !== url;

/**
 * The tag of a body: its hash. Where the resource has a version, the beginning of the tag is a hash of that one, and
 * If-Match compares only this: a quiz that is played while its owner edits it has another body and tag each time
 * (`plays`), which a read must notice, and which is no reason to refuse the edit.
 */
export async function entityTag(body: string | Buffer | object, version?: string): Promise<string> {
  const text = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
  const isLong = typeof text !== 'string' && text.length > AT_ONCE;
  const tag = isLong
    ? weak(
        Buffer.from(await webcrypto.subtle.digest('SHA-1', text as Buffer<ArrayBuffer>)).toString(
          'base64url',
        ),
      )
    : tagOf(text);
  return withVersion(tag, version);
}

const withVersion = (tag: string, version: string | undefined): string =>
  version === undefined ? tag : beginningOf(version) + tag.slice(BEGINNING);

/** Whether the tag is of this version of its resource; `W/` may be missing. */
export const isTagOf = (tag: string, version: string): boolean =>
  tag
    .trim()
    .replace(/^(?:W\/)?/, 'W/')
    .startsWith(beginningOf(version));

/** In characters: `W/"` and 66 bits. */
const BEGINNING = 14;

const beginningOf = (version: string): string => tagOf(version).slice(0, BEGINNING);

/** Weak: differently compressed forms of the same response are equivalent. */
const weak = (digest: string): string => `W/"${digest}"`;

const tagOf = (text: string | Buffer): string => weak(hash('sha1', text, 'base64url'));

export type Encoding = 'br' | 'gzip';

type Compress = (bytes: Buffer, encoding: Encoding) => Buffer | Promise<Buffer>;

/** The smallest encoding that the client supports. */
export function encodingFor(request: Request): Encoding | null {
  if (request.headers['accept-encoding'] === undefined) return null;
  if (request.acceptsEncodings('br')) return 'br';
  return request.acceptsEncodings('gzip') ? 'gzip' : null;
}

const brotliElsewhere = promisify(brotliCompress);
const gzipElsewhere = promisify(gzip);

function compressed(bytes: Buffer, encoding: Encoding): Buffer | Promise<Buffer> {
  if (bytes.length <= AT_ONCE)
    return encoding === 'br' ? brotliCompressSync(bytes, BROTLI) : gzipSync(bytes);
  return encoding === 'br' ? brotliElsewhere(bytes, BROTLI) : gzipElsewhere(bytes);
}
