import type { StreamableFile } from '@nestjs/common';
import type { VNode } from 'preact';
import type { ConstantText } from '../../platform/http/server/text-response';
import type { Form } from './form';

/** A handler's answer that sends the browser on, so that a reload repeats nothing (303). */
export class Redirection {
  constructor(
    readonly path: string,
    readonly notice?: string,
  ) {}
}

/** A page with another status than 200. */
export class WithStatus {
  constructor(
    readonly status: number,
    readonly page: VNode,
    /** Seconds, for the header Retry-After. */
    readonly retryAfter?: number,
  ) {}
}

/** A page that is the same for everybody: rendered once for each address, and again when what it shows has changed. */
export class ConstantPage {
  /** @param shown the data on it, compared by identity */
  constructor(
    readonly render: () => VNode,
    readonly shown: readonly unknown[] = [],
  ) {}
}

/** What a handler of pages returns. */
export type PageResult =
  VNode | Redirection | WithStatus | ConstantPage | StreamableFile | ConstantText;

/** After a change: on to `path` (of the dashboard), where `notice` tells what has been done. */
export const redirect = (path: string, notice?: string) => new Redirection(path, notice);

/** The form once more, as it was typed, with the sentences beside its fields. */
export const invalid = (form: Form, page: VNode) =>
  new WithStatus(form.status, page, form.retryAfter);
