import { IntlMessageFormat } from 'intl-messageformat';
import ar from './ar.json';
import dashboardDe from './dashboard.de.json';
import dashboardEn from './dashboard.en.json';
import de from './de.json';
import en from './en.json';
import es from './es.json';
import fr from './fr.json';
import it from './it.json';
import { isLanguage, type Language, LANGUAGES } from './languages';
import pl from './pl.json';
import pt from './pt.json';

/** A sentence of the pages for everybody and of e-mails, in every language. */
export type PublicKey = keyof typeof en;

/** A sentence of the dashboard, which has fewer languages (`DASHBOARD_LANGUAGES`). */
export type DashboardKey = keyof typeof dashboardEn;

/** The name of a sentence in the catalogues: a wrong one does not compile. */
export type MessageKey = PublicKey | DashboardKey;

type Catalogue = Readonly<Record<PublicKey, string> & Partial<Record<DashboardKey, string>>>;

export const CATALOGUES: Readonly<Record<Language, Catalogue>> &
  Record<'en', Record<MessageKey, string>> = {
  en: { ...en, ...dashboardEn },
  de: { ...de, ...dashboardDe },
  fr,
  es,
  pt,
  it,
  pl,
  ar,
};

/** What stands for the placeholders of a sentence. */
export type MessageValues = Readonly<Record<string, string | number>>;

type Parts<Element> = (string | Element)[];
type Wrapper<Element> = (content: Parts<Element>) => Element;

/** The sentences of one language, and its way to write numbers. */
export class Messages {
  /** Parsed when they are first used. */
  private readonly parsed = new Map<MessageKey, IntlMessageFormat>();
  /** For `Intl`, of lists and times. */
  readonly locale: string;
  private readonly numbers: Intl.NumberFormat;
  private readonly times: Intl.RelativeTimeFormat;
  /** Between two of a list, with the space after it. */
  readonly comma: string;

  constructor(readonly language: Language) {
    // With the digits of everything that authors type, of the keys 1 to 9 and of the clock: one page has one kind.
    this.locale = `${language}-u-nu-latn`;
    this.comma = new Intl.Locale(language).maximize().script === 'Arab' ? '، ' : ', ';
    this.numbers = new Intl.NumberFormat(this.locale);
    this.times = new Intl.RelativeTimeFormat(this.locale, { numeric: 'always' });
  }

  /** A sentence. @throws Error if it has a placeholder without a value */
  readonly t = (key: MessageKey, values?: MessageValues): string =>
    String(this.format(key).format(values));

  /**
   * A sentence with elements: for `{name}`, or for `<link>…</link>`, of which a function gets the content.
   * @throws Error if one has no value
   */
  readonly rich = <Element>(
    key: MessageKey,
    values: Readonly<Record<string, string | number | Element | Wrapper<Element>>>,
  ): Parts<Element> => [this.format(key).format<Element>(values)].flat() as Parts<Element>;

  readonly number = (value: number): string => this.numbers.format(value);

  /** `one, two`, with the language's comma. */
  readonly enumerated = (texts: readonly string[]): string => texts.join(this.comma);

  /** `3 minutes ago`, `in 7 days`. */
  readonly relativeTime = (value: number, unit: Intl.RelativeTimeFormatUnit): string =>
    this.times.format(value, unit);

  private format(key: MessageKey): IntlMessageFormat {
    const known = this.parsed.get(key);
    if (known) return known;
    const sentence = CATALOGUES[this.language][key];
    const format =
      sentence === undefined
        ? new IntlMessageFormat(CATALOGUES.en[key], 'en')
        : new IntlMessageFormat(sentence, this.locale);
    this.parsed.set(key, format);
    return format;
  }
}

const all = new Map(LANGUAGES.map((language) => [language, new Messages(language)]));

export const messagesIn = (language: Language): Messages => all.get(language)!;

/** Those of a stored language; English if there is none. */
export const messagesFor = (language: string | null | undefined): Messages =>
  messagesIn(isLanguage(language) ? language : 'en');
