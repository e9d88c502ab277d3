import { LIMITS } from '../../platform/limits/limits';
import {
  asWritten,
  type Picture,
  type RenderedMarkdown,
  showMarkdown,
} from '../../platform/markdown/markdown';

/** The texts in Markdown of one page or response, as HTML. */
export class RenderedTexts {
  private readonly byText = new Map<string, RenderedMarkdown>();
  private remaining = LIMITS.content.shownHtml.value;
  private unrendered: string | null = null;

  /** @param pictures stored ones, by id */
  constructor(private readonly pictures: ReadonlyMap<string, Picture> = new Map()) {}

  /** The first text that is shown as it was written, because the HTML of those before it is long enough; null if none. */
  get firstUnrendered(): string | null {
    return this.unrendered;
  }

  /** @param links whether http and https URLs become links */
  render(text: string, links: boolean): void {
    const key = keyOf(text, links);
    if (this.unrendered !== null || this.byText.has(key)) return;
    const shown = showMarkdown(text, links, this.pictures);
    this.remaining -= shown.html.length;
    if (this.remaining < 0) this.unrendered = text;
    else this.byText.set(key, shown);
  }

  /** A text that was rendered before; any other as it was written. */
  of(text: string, links: boolean): RenderedMarkdown {
    return this.byText.get(keyOf(text, links)) ?? asWritten(text);
  }
}

const keyOf = (text: string, links: boolean) => (links ? '+' : '-') + text;
