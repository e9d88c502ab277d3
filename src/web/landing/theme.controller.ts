import { Post } from '@nestjs/common';
import { Config } from '../../platform/config/config';
import { setTheme } from '../http/cookies';
import { baseUrl } from '../http/page-context';
import { Asked, OpenPages, type PageRequest } from '../http/page-controller';
import { type PageResult, redirect } from '../http/page-results';

/** The switch between light and dark, which every page has. */
@OpenPages()
export class ThemeController {
  constructor(private readonly config: Config) {}

  /** The theme of every page, for this browser; then back to the page. */
  @Post('theme')
  theme(@Asked() { request, response, form }: PageRequest): PageResult {
    setTheme(response, this.config, form.text('theme'));
    const from = request.get('referer') ?? '';
    const { origin, pathname, search } = new URL(URL.canParse(from) ? from : 'http://none.invalid');
    const isOurs = origin === new URL(baseUrl(request, this.config)).origin;
    return redirect(isOurs ? pathname + search : '/');
  }
}
