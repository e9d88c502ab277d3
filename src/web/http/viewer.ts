import {
  createParamDecorator,
  Injectable,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import type { Request } from 'express';
import type { SignedIn } from '../../access/sessions/sessions.service';
import { NotFound, Unauthenticated } from '../../platform/errors/domain-errors';

/** Who looks at the page: the account that is signed in. */
export type Viewer = SignedIn;

declare module 'express-serve-static-core' {
  interface Request {
    /** Set for every request below /dashboard that carries the cookie of a session. */
    viewer?: Viewer;
  }
}

const viewerOf = (context: ExecutionContext) => context.switchToHttp().getRequest<Request>().viewer;

/** Parameter decorator: the viewer, on pages that need a sign-in. */
export const CurrentViewer = createParamDecorator(
  (_: unknown, context: ExecutionContext): Viewer => {
    const viewer = viewerOf(context);
    if (!viewer) throw new Unauthenticated();
    return viewer;
  },
);

/** Lets in who is signed in; others are sent to sign in, and from there back to the page. */
@Injectable()
export class SignedInGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    if (!viewerOf(context)) throw new Unauthenticated();
    return true;
  }
}

/** Lets administrators in. For others there is no such page. */
@Injectable()
export class AdministratorGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const viewer = viewerOf(context);
    if (!viewer) throw new Unauthenticated();
    if (!viewer.isAdmin) throw new NotFound('Page');
    return true;
  }
}
