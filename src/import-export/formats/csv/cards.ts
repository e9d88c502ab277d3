import { createHash } from 'node:crypto';
import { fold } from '../../../platform/text/text.rules';
import type { ReadOptions } from '../row';

/** A flash card: what is asked, and its one answer. */
export interface Card {
  term: string;
  answer: string;
}

/** Answers of a file from which wrong ones are taken. */
const MOST_ANSWERS = 2_000;
/** Longer answers are chosen, not typed: nobody types a definition word by word. */
const TYPED = 25;
const [WRONG, ENOUGH] = [3, 4];

/** Decides for a file of flash cards whether their answers are typed, or chosen among those of other cards. */
export class CardSurvey {
  /** By the answer as it is compared; the terms are in that form too. */
  private readonly cards = new Map<string, Card & { key: string }>();
  /** The same, once all are known: 10,000 cards with one term took 11 s. */
  private list: (Card & { key: string })[] | undefined;
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
    const key = fold(card.answer);
    if (this.cards.size < MOST_ANSWERS && card.answer.length <= 1_000)
      this.cards.set(key, { key, term: fold(card.term), answer: card.answer });
  }

  get isChoice(): boolean {
    if (this.asked) return this.asked === 'choice' && this.cards.size > 1;
    return this.isHeadless && this.cards.size >= ENOUGH && this.long > this.all / 2;
  }

  get note(): string {
    return this.isChoice
      ? `Each card becomes a multiple choice question: its wrong answers are those of other cards. For typed answers, choose "Typed answers" for flash cards.`
      : `Each card becomes a question whose answer is typed. To choose among the answers of other cards instead, choose "Multiple choice" for flash cards.`;
  }

  /** Answers of other cards: the same ones whenever the file is read. */
  wrongFor({ term, answer }: Card): string[] {
    const all = (this.list ??= [...this.cards.values()]);
    const [same, meant] = [fold(answer), fold(term)];
    const from = createHash('sha256').update(term).digest().readUInt32BE() % (all.length || 1);
    const wrong: string[] = [];
    for (let step = 0; step < all.length && wrong.length < WRONG; step += 1) {
      const card = all[(from + step) % all.length];
      // Another meaning of the same term is correct, too.
      if (card && card.key !== same && card.term !== meant) wrong.push(card.answer);
    }
    return wrong;
  }
}
