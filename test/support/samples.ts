/** Bodies that the API accepts; a test changes what it is about. */

export const quizBody = (fields: object = {}) => ({
  title: 'Rivers of Europe',
  difficulty: 'MEDIUM',
  description: 'From source to sea.',
  category: 'Geography',
  tags: ['rivers', 'europe'],
  published: true,
  ...fields,
});

export const questionBody = (fields: object = {}) => ({
  text: 'Which river flows through Vienna?',
  type: 'MULTIPLE_CHOICE',
  difficulty: 'EASY',
  explanation: 'The Danube flows through ten countries.',
  answers: [
    { text: 'The Danube', isCorrect: true },
    { text: 'The Rhine', isCorrect: false },
    { text: 'The Elbe', isCorrect: false },
  ],
  ...fields,
});

/** `count` different questions. */
export const questionBodies = (count: number, fields: object = {}) =>
  Array.from({ length: count }, (_, index) =>
    questionBody({ text: `Question ${index + 1}?`, ...fields }),
  );
