/**
 * The words that files in English, German, French, Spanish, Portuguese, Italian and Polish have for the parts of a
 * question, as alternatives of regular expressions, in this order of languages.
 */
const WORDS = {
  question: ['question', 'frage', 'pregunta', 'pergunta', 'domanda', 'pytanie'],
  answer: ['answer', 'antwort', 'réponse', 'respuesta', 'resposta', 'risposta', 'odpowiedź'],
  answers: [
    'answers',
    'antworten',
    'réponses',
    'respuestas',
    'respostas',
    'risposte',
    'odpowiedzi',
  ],
  option: [
    ...['option', 'choice', 'auswahl', 'choix', 'proposition', 'opción', 'opção', 'alternativa'],
    ...['opzione', 'opcja'],
  ],
  options: [
    ...[
      'options',
      'choices',
      'antwortmöglichkeiten',
      'choix',
      'opciones',
      'opções',
      'alternativas',
    ],
    'opzioni',
  ],
  correct: [
    ...['correct', 'richtige?', 'korrekte?', 'correcte?s?', 'correct[oa]s?', 'corret[oa]s?'],
    ...['corrett[oaie]', 'poprawn[aey]', 'prawidłow[aey]'],
  ],
  /** By themselves, these are columns of other things. */
  right: ['right', 'bonnes?', 'giust[ae]', 'esatt[ae]'],
  wrong: [
    ...['wrong', 'incorrect', 'falsche?', 'fausses?', 'mauvaises?', 'incorrectes?'],
    ...['incorrect[oa]s?', 'errónea', 'falsa', 'errad[oa]s?', 'incorret[oa]s?', 'errat[aeo]'],
    ...['sbagliat[aeo]', 'zła', 'błędn[aey]'],
  ],
  solution: ['solution', 'lösung', 'solución', 'solução', 'soluzione', 'rozwiązanie'],
  solutions: [
    ...['solutions', 'lösungen', 'soluciones', 'soluções', 'soluzioni', 'rozwiązania'],
    // Also of one question.
    ...['key', 'gabarito'],
  ],
  explanation: [
    ...['(?:answer )?explanation', 'feedback', 'rationale', 'erklärung', 'erläuterung'],
    ...['begründung', 'explication', 'explicación', 'retroalimentación', 'explicação'],
    ...['justificativa', 'spiegazione', 'wyjaśnienie'],
  ],
  true: ['t', 'true', 'wahr', 'richtig', 'vrai', 'verdadero', 'verdadeiro', 'vero', 'prawda'],
  false: ['f', 'false', 'falsch', 'faux', 'falso', 'fałsz'],
} satisfies Record<string, readonly string[]>;

type Meaning = keyof typeof WORDS;

/** The alternatives of these meanings, for a regular expression. */
export const words = (...meanings: Meaning[]): string =>
  `(?:${meanings.flatMap((meaning) => WORDS[meaning]).join('|')})`;

/** The same without accents and spaces, as names are compared. */
export const plainWords = (...meanings: Meaning[]): string =>
  words(...meanings)
    .normalize('NFD')
    .replace(/\p{M}+| /gu, '');
