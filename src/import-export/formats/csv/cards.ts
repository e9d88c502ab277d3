import { createHash } from 'node:crypto';
import { LIMITS } from '../../../platform/limits/limits';
import { fold } from '../../../platform/text/text.rules';
import type { ReadOptions } from '../row';

/** A flash card: what is asked, and its one answer. */
export interface Card {
  term: string;
  answer: string;
}

const { cards: mostCards, cardAnswers: mostAnswers } = LIMITS.imports;
/** Longer answers are chosen, not typed: nobody types a definition word by word. */
const TYPED = 25;
const [WRONG, ENOUGH] = [3, 4];

/** An answer, and the terms that it is right for, as they are compared; null if not all of them are kept. */
interface Answer {
  text: string;
  terms: Set<string> | null;
}

const ONE_ANSWER =
  'Each card becomes a question whose answer is typed: the file has only one answer, and multiple choice needs wrong ones.';

/** Decides for a file of flash cards whether their answers are typed, or chosen among those of other cards. */
export class CardSurvey {
  /** By their texts as they are compared. */
  private readonly answers = new Map<string, Answer>();
  /** The same, once all are known, to begin at any of them. */
  private list: Answer[] | undefined;
  /** How many answers are right for a term: a file may ask one term thousands of times. */
  private readonly rightFor = new Map<string, number>();
  private long = 0;
  private all = 0;

  /** @param isHeadless only then the length of the answers decides: a header `question,answer` means typed ones */
  constructor(
    private readonly asked: ReadOptions['cards'],
    private readonly isHeadless = false,
  ) {}

  add(card: Card): void {
    if (!card.answer) return;
    this.all += 1;
    if (card.answer.length > TYPED) this.long += 1;
    const [key, term] = [fold(card.answer), fold(card.term)];
    const known = this.answers.get(key);
    if (known && this.all > mostCards.value) known.terms = null;
    if (!known && (this.answers.size === mostAnswers.value || card.answer.length > 1_000)) return;
    const answer = known ?? { text: card.answer, terms: new Set<string>() };
    this.answers.set(key, answer);
    if (!answer.terms || answer.terms.has(term)) return;
    answer.terms.add(term);
    this.rightFor.set(term, (this.rightFor.get(term) ?? 0) + 1);
  }

  get isChoice(): boolean {
    if (this.asked) return this.asked === 'choice';
    return this.isHeadless && this.answers.size >= ENOUGH && this.long > this.all / 2;
  }

  get note(): string {
    if (this.isChoice && this.answers.size <= 1) return ONE_ANSWER;
    return this.isChoice
      ? `Each card becomes a multiple choice question: its wrong answers are those of other cards. For typed answers, choose "Typed answers" for flash cards.`
      : `Each card becomes a question whose answer is typed. To choose among the answers of other cards instead, choose "Multiple choice" for flash cards.`;
  }

  /** Answers of other cards: the same ones whenever the file is read; none if all are right for this card. */
  wrongFor({ term, answer }: Card): string[] {
    const all = (this.list ??= [...this.answers.values()]);
    const right = this.answers.get(fold(answer));
    const asked = fold(term);
    if (this.rightFor.get(asked) === all.length) return [];
    const from = createHash('sha256').update(term).digest().readUInt32BE() % (all.length || 1);
    const wrong: string[] = [];
    for (let step = 0; step < all.length && wrong.length < WRONG; step += 1) {
      const other = all[(from + step) % all.length];
      // Another meaning of the same term is correct, too.
      if (other?.terms && other !== right && !other.terms.has(asked)) wrong.push(other.text);
    }
    return wrong;
  }
}
