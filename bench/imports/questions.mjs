const TYPES = ['MULTIPLE_CHOICE', 'MULTIPLE_CHOICE', 'TRUE_FALSE', 'OPEN_ENDED'];
const ANSWERS = { MULTIPLE_CHOICE: 4, TRUE_FALSE: 2, OPEN_ENDED: 2 };

/** Fifty different questions, as BatchQuestionInput: the most that one import may bring. */
export function fiftyQuestions(batch) {
  return Array.from({ length: 50 }, (_, number) => {
    const type = TYPES[number % TYPES.length];
    return {
      text: `Question ${number + 1} of batch ${batch}: which of these is the answer?`,
      type,
      difficulty: ['EASY', 'MEDIUM', 'HARD', 'EXPERT'][number % 4],
      explanation: 'It is the first that one thinks of.',
      answers: Array.from({ length: ANSWERS[type] }, (_, place) => ({
        text: `Answer ${place + 1} of ${number + 1}`,
        isCorrect: place === 0,
      })),
    };
  });
}
