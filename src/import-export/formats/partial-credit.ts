import type { AnswerInput } from '../../authoring/questions/question.rules';

/** An answer as Moodle's formats mark it: `credit` in percent, from -100 to 100. */
export interface CreditedAnswer {
  text: string;
  credit: number;
}

/**
 * Which answers are correct: those with full credit; where none has it and several may be chosen, those
 * that add credit. `note` says what that leaves out.
 */
export function correctByCredit(
  answers: readonly CreditedAnswer[],
  several: boolean,
): { answers: AnswerInput[]; note?: string } {
  const full = answers.some(({ credit }) => credit >= 99.99);
  const isCorrect = ({ credit }: CreditedAnswer): boolean =>
    full || !several ? credit >= 99.99 : credit > 0;
  const correct = answers.filter(isCorrect);
  const share = 100 / correct.length;
  const plain = answers.every((answer) =>
    isCorrect(answer)
      ? full || Math.abs(answer.credit - share) < 0.01
      : answer.credit === 0 || (answer.credit < 0 && several),
  );
  return {
    answers: answers.map((answer) => ({ text: answer.text, isCorrect: isCorrect(answer) })),
    ...(!plain && { note: note(answers, isCorrect) }),
  };
}

function note(
  answers: readonly CreditedAnswer[],
  isCorrect: (answer: CreditedAnswer) => boolean,
): string {
  const percents = answers.map(
    (answer, i) =>
      `${i + 1}: ${answer.credit} % counts as ${isCorrect(answer) ? 'right' : 'wrong'}`,
  );
  return `Partial credit is not kept: an answer is right or wrong (${percents.slice(0, 6).join(', ')}).`;
}

/** The answer to a numerical question. */
export interface CorrectNumber {
  text: string;
  tolerance: number;
}

/** A numerical question as an open one, which accepts the number as it is written; `note`: what that leaves out. */
export function openNumbers(numbers: readonly CorrectNumber[]): {
  answers: AnswerInput[];
  note?: string;
} {
  const tolerant = numbers.find(({ tolerance }) => tolerance !== 0);
  const texts = [...new Set(numbers.map(({ text }) => text))];
  return {
    answers: texts.map((text) => ({ text, isCorrect: true })),
    ...(tolerant && {
      note: `Numbers are compared as text: the tolerance of ${tolerant.tolerance} is not kept, only ${tolerant.text} is accepted.`,
    }),
  };
}
