/** `1 quiz`, `2 quizzes`, `12,000 quizzes` */
export const count = (number: number, one: string, several: string): string =>
  `${number.toLocaleString('en')} ${number === 1 ? one : several}`;
