import { Post } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { parseUrl } from '../../platform/text/url.rules';
import { setTheme } from '../http/cookies';
import { baseUrl } from '../http/page-context';
import { Asked, OpenPages, type PageRequest } from '../http/page-controller';
import { type PageResult, redirect } from '../http/page-results';

/** The switch between light, dark and the browser's own theme. */
@OpenPages()
export class ThemeController {
  constructor(private readonly config: Config) {}

  /** Sets the theme of every page in this browser, and leads back to the page. */
  @Post('theme')
  theme(@Asked() { request, response, form }: PageRequest): PageResult {
    setTheme(response, this.config, form.text('theme'));
    const from = parseUrl(request.get('referer') ?? '');
    const own = parseUrl(baseUrl(request, this.config));
    if (!from || from.origin !== own?.origin) return redirect('/');
    // `//example.com` would lead to another site.
    return redirect(from.pathname.replace(/^\/+/, '/') + from.search);
  }
}
