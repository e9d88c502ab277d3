import type { ClassConstructor } from 'class-transformer';
import { DomainError, Invalid, type Issue } from '../../platform/errors/domain-errors';
import { readBody } from '../../platform/http/request/validation.pipe';
import type { Messages } from '../../platform/messages/messages';
import { translated } from '../../platform/messages/refusals';
import { isStorable } from '../../platform/text/text.rules';

/**
 * A form's input and its errors: a page shows both, each error beside its field. Read with `text` and `all`; absent
 * fields are empty, so a handler needs no checks of its own.
 */
export class Form {
  constructor(
    private readonly values: Readonly<Record<string, unknown>> = {},
    /** `path` is the name of a field; an error of the whole form has the path ''. */
    readonly errors: readonly Issue[] = [],
    /** The status of the response that shows the form. */
    readonly status = 422,
    /** Seconds, for the header Retry-After. */
    readonly retryAfter?: number,
  ) {}

  /** Nothing was typed yet: fields show their initial values. */
  get isBlank(): boolean {
    return Object.keys(this.values).length === 0;
  }

  /** Whether the field was sent. A page has several forms, and each sends only its own fields. */
  has(name: string): boolean {
    return Object.hasOwn(this.values, name);
  }

  /** The input of a field, its lines as they are stored. One with NUL or half a character, which no keyboard types, is ''. */
  text(name: string): string {
    return this.all(name)[0] ?? '';
  }

  all(name: string): string[] {
    if (!this.has(name)) return [];
    const value = this.values[name];
    return (
      (Array.isArray(value) ? value : [value])
        .filter((item): item is string => typeof item === 'string' && isStorable(item))
        // Browsers end each line of a field with CRLF.
        .map((item) => item.replaceAll('\r\n', '\n'))
    );
  }

  /** The words of a field, between spaces, lines and commas. */
  words(name: string): string[] {
    return this.text(name)
      .split(/[\s,]+/)
      .filter(Boolean);
  }

  /** Several fields, by their names. */
  texts<Name extends string>(...names: Name[]): Record<Name, string> {
    const fields = names.map((name) => [name, this.text(name)]);
    return Object.fromEntries(fields) as Record<Name, string>;
  }

  /** The direction of `MoveButtons`. */
  get direction(): 'up' | 'down' {
    return this.text('by') === 'up' ? 'up' : 'down';
  }

  /** The same, or the place, counted from 0, that an item was dragged to. */
  get move(): 'up' | 'down' | number {
    const to = this.text('to');
    return /^\d{1,4}$/.test(to) ? Number(to) : this.direction;
  }

  /** The same form with other values in these fields. */
  plus(values: Record<string, string | string[]>): Form {
    return new Form({ ...this.values, ...values }, this.errors, this.status, this.retryAfter);
  }

  /** The errors of a field, '' for the form, in the language of the page. */
  errorsOf(name: string, messages: Messages): string[] {
    return this.errors
      .filter(({ path }) => path === name)
      .map(({ message }) => errorText(message, messages));
  }

  /** The same form with the errors of an exception. @param at the field of an error that names none */
  refusedBy(error: DomainError, at = ''): Form {
    const errors = error.details ?? [{ path: at, message: error.message, code: error.kind }];
    return new Form(this.values, errors, STATUS[error.kind] ?? 422, error.retryAfter);
  }
}

const STATUS: Partial<Record<DomainError['kind'], number>> = {
  'rate-limited': 429,
  'plan-required': 403,
  'limit-reached': 403,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  'too-large': 413,
};

/** What a service says of an error, as a sentence in the language of the page. */
export const errorText = (message: string, messages: Messages): string =>
  sentence(translated(message, messages));

/** `maxAttempts must be …` is for programs; people read `Max attempts must be ….` */
function sentence(message: string): string {
  const words = message.replace(/^[a-z]+(?:[A-Z][a-z]+)+(?= )/, (name) =>
    name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`),
  );
  const text = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

export const fieldError = (path: string, message: string, code = 'choice') =>
  new Invalid('The form', [{ path, message, code }]);

/**
 * The input, validated by the rules of the API.
 * @param reword an error of the JSON body in terms of the form's fields
 * @throws Invalid
 */
export function readForm<T extends object>(
  shape: ClassConstructor<T>,
  body: object,
  reword: (issue: Issue) => Issue,
): T {
  try {
    return readBody(shape, body);
  } catch (error) {
    if (!(error instanceof Invalid) || !error.details) throw error;
    throw new Invalid('The form', error.details.map(reword) as [Issue, ...Issue[]]);
  }
}

/**
 * What a service refuses, in terms of the form's fields.
 * @throws Invalid
 */
export async function reworded<T>(work: Promise<T>, reword: (issue: Issue) => Issue): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Invalid) || !error.details) throw error;
    throw new Invalid('The form', error.details.map(reword) as [Issue, ...Issue[]]);
  }
}

/** Errors that the user can fix in the form. */
const CORRECTABLE = new Set<DomainError['kind']>([
  'malformed',
  'invalid',
  'conflict',
  'limit-reached',
  'plan-required',
  'rate-limited',
  'too-large',
]);

/**
 * Does what a form requests. If a module's rule refuses it, the form is shown again with the module's own messages;
 * other errors (not found, an internal error) lead to the error page.
 * @param at the field for an error that names none, such as an address that is taken
 */
export async function attempt<T>(form: Form, work: () => Promise<T>, at = ''): Promise<T | Form> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DomainError && CORRECTABLE.has(error.kind))
      return form.refusedBy(error, at);
    throw error;
  }
}

/** Digits, or groups of three with one separator between all of them. */
const WHOLE_NUMBER = /^(?:\d+|[1-9]\d{0,2}([,.'’\s])\d{3}(?:\1\d{3})*)$/;

/**
 * The whole number that is typed: 6000, or with grouped digits 6,000, 6.000 or 6 000; null for none, and NaN for anything
 * else, such as 6,5.
 */
export function wholeNumberIn(typed: string): number | null {
  const text = typed.trim();
  if (text === '') return null;
  return WHOLE_NUMBER.test(text) ? Number(text.replace(/\D/g, '')) : NaN;
}

/** The number that is typed, whose decimals may follow a comma; null for none, and NaN for anything else. */
export function numberIn(typed: string): number | null {
  const text = typed.trim();
  if (text === '') return null;
  return /^\d+(?:[.,]\d+)?$/.test(text) ? Number(text.replace(',', '.')) : NaN;
}
