import {
  applyDecorators,
  type CanActivate,
  Controller,
  createParamDecorator,
  type ExecutionContext,
  Injectable,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { NotFound, Unauthenticated } from '../../platform/errors/domain-errors';
import type { Messages } from '../../platform/messages/messages';
import { isStorable } from '../../platform/text/text.rules';
import { attempt, Form } from './form';
import type { Viewer } from './page-context';
import { PageInterceptor, type PageResult } from './page-results';

const requestOf = (context: ExecutionContext) => context.switchToHttp().getRequest<Request>();

/** Allows signed-in users; others are redirected to sign in, and from there back to the page. */
@Injectable()
class SignedInGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (!requestOf(context).viewer) throw new Unauthenticated();
    return true;
  }
}

/** Allows administrators. For others the page does not exist. */
@Injectable()
export class AdministratorGuard extends SignedInGuard {
  override canActivate(context: ExecutionContext): boolean {
    super.canActivate(context);
    if (!requestOf(context).viewer?.isAdmin) throw new NotFound('Page');
    return true;
  }
}

/** A controller of public pages. */
export const OpenPages = (path: string | string[] = '') =>
  applyDecorators(Controller(path), UseInterceptors(PageInterceptor));

/** A controller of pages below /dashboard that need a sign-in. */
export const SignedInPages = (path = '') =>
  applyDecorators(OpenPages(`dashboard/${path}`), UseGuards(SignedInGuard));

/** A controller of pages below /dashboard/admin, for administrators. */
export const AdministratorPages = (path = '') =>
  applyDecorators(OpenPages(`dashboard/admin/${path}`), UseGuards(AdministratorGuard));

/** What a handler of pages needs of a request. */
export class PageRequest {
  constructor(
    readonly request: Request,
    /** The posted form; an empty one for other requests. */
    readonly form = new Form((request.body ?? {}) as Record<string, unknown>),
  ) {}

  /** The account that is signed in, on pages that need a sign-in. */
  get viewer(): Viewer {
    if (!this.request.viewer) throw new Unauthenticated();
    return this.request.viewer;
  }

  get accountId(): string {
    return this.viewer.accountId;
  }

  /** For its cookies and headers: the handler returns the page. */
  get response(): Response {
    return this.request.res!;
  }

  /** The sentences of the page's language. */
  get messages(): Messages {
    return this.request.messages!;
  }

  get address(): string {
    return this.request.ip ?? '';
  }

  /** The request with the form as it was refused: what a handler makes of it has the status of the error. */
  refused(form: Form): PageRequest {
    this.response.status(form.status);
    if (form.retryAfter !== undefined) this.response.setHeader('Retry-After', form.retryAfter);
    return new PageRequest(this.request, form);
  }

  /** `:id` of the URL. */
  get id(): string {
    return this.param('id');
  }

  readonly param = (name: string): string => String(this.request.params[name] ?? '');

  /**
   * A parameter of the query, '' if it is absent or not text. Pages are lenient where the API responds with 400: a
   * mistyped URL shows the page.
   */
  readonly query = (name: string): string => {
    const value = this.request.query[name];
    return typeof value === 'string' && isStorable(value) ? value : '';
  };
}

/** Parameter decorator: the request, for a handler of pages. */
export const Asked = createParamDecorator(
  (_: unknown, context: ExecutionContext) => new PageRequest(requestOf(context)),
);

/**
 * For a handler of a posted form: if a rule refuses the input, the handler `page` shows the form again, with the
 * input and its errors. Other errors (not found, an internal error) lead to the error page.
 * @param at the field for an error that names none, such as an e-mail address that is taken
 */
export const OnRefusal =
  <Page extends string>(page: Page, at = '') =>
  <T extends Record<Page, (asked: PageRequest) => PageResult | Promise<PageResult>>>(
    _: T,
    name: string,
    handler: TypedPropertyDescriptor<(asked: PageRequest) => Promise<PageResult>>,
  ) => {
    const work = handler.value!;
    // Nest's decorators write to the method, which is replaced here: their route would be lost.
    if (Reflect.getMetadataKeys(work).length > 0)
      throw new Error(`Put @OnRefusal below Nest’s decorators of ${name}.`);
    handler.value = async function (this: T, asked) {
      const done = await attempt(asked.form, () => work.call(this, asked), at);
      return done instanceof Form ? this[page](asked.refused(done)) : done;
    };
  };
