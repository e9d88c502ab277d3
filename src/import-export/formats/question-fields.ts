import type { AnswerInput } from '../../authoring/questions/question.rules';
import { QUESTION_FORMATS, type QuestionType } from '../../catalog/vocabulary';
import { Malformed } from '../../platform/errors/domain-errors';
import { LIMITS } from '../../platform/limits/limits';
import { tidy } from '../../platform/text/text.rules';
import { byAnything, byNumber, type FirstNumber, isTruthWord, truthOf } from './answer-key';
import { difficultyOf, questionTypeOf, rowOf } from './parsed-question';
import {
  type ErrorRow,
  type FilePosition,
  type ParsedRow,
  type QuizOfRow,
  quote,
  sentence,
} from './row';

/**
 * The names that files use for the parts of a question: the one vocabulary of CSV columns and JSON members. Case,
 * accents, spaces and punctuation are ignored. A question may have several of the last four: the text, number or letter of a
 * `correct` answer, or only its number or letter (`numbers`); a list of answers (`options`) or of wrong ones (`wrongs`).
 */
const NAMES = {
  text: [
    ...['question', 'text', 'questiontext', 'prompt', 'stem', 'clue', 'term', 'front', 'q'],
    ...['frage', 'fragen', 'fragetext', 'fragestellung', 'intitule', 'pregunta', 'enunciado'],
    ...['pergunta', 'questao', 'domanda', 'pytanie'],
  ],
  type: ['type', 'questiontype', 'kind'],
  difficulty: [
    ...[
      'difficulty',
      'level',
      'questiondifficulty',
      'schwierigkeit',
      'schwierigkeitsgrad',
      'niveau',
    ],
    ...['difficulte', 'dificultad', 'nivel', 'dificuldade', 'difficolta', 'livello', 'trudnosc'],
    ...['poziom', 'poziomtrudnosci'],
  ],
  format: ['format', 'questionformat', 'textformat'],
  explanation: [
    ...['explanation', 'answerexplanation', 'feedback', 'comment', 'rationale', 'erklarung'],
    ...['erlauterung', 'begrundung', 'explication', 'explicacion', 'explicacao', 'justificativa'],
    ...['spiegazione', 'wyjasnienie'],
  ],
  source: ['source', 'quelle', 'fuente', 'fonte'],
  licence: ['licence', 'license', 'lizenz', 'licencia', 'licenca'],
  quizTitle: ['quiztitle', 'quiz'],
  quizDescription: ['quizdescription', 'description'],
  quizCategory: [
    ...['quizcategory', 'category', 'topic', 'kategorie', 'thema', 'categorie', 'theme'],
    ...['categoria', 'tema'],
  ],
  quizDifficulty: ['quizdifficulty'],
  quizTags: ['quiztags', 'tags'],
  quizLanguage: ['quizlanguage'],
  quizTimeLimit: ['quiztimelimit'],
  quizMaxAttempts: ['quizmaxattempts'],
  quizQuestionsPerAttempt: ['quizquestionsperattempt'],
  quizAcceptTypos: ['quizaccepttypos'],
  correct: [
    ...['correct', 'correctanswer', 'correctanswers', 'rightanswer', 'answer', 'key', 'answerkey'],
    ...['correctoption', 'correctchoice', 'solution', 'definition', 'back'],
    ...['richtig', 'richtigeantwort', 'richtigeantworten', 'korrekt', 'korrekteantwort', 'losung'],
    ...['korrekteantworten', 'losungen'],
    ...['antwort', 'reponse', 'bonnereponse', 'bonnesreponses', 'reponsecorrecte', 'correcte'],
    ...['reponsescorrectes', 'correctes'],
    ...['respuesta', 'respuestacorrecta', 'correcta', 'opcioncorrecta', 'solucion'],
    ...['respuestascorrectas', 'correctas', 'opcionescorrectas', 'soluciones'],
    ...['resposta', 'respostacorreta', 'correta', 'opcaocorreta', 'gabarito', 'solucao'],
    ...['respostascorretas', 'corretas', 'opcoescorretas', 'solucoes'],
    ...['risposta', 'rispostacorretta', 'rispostagiusta', 'rispostaesatta', 'corretta'],
    ...['soluzione', 'rispostecorrette', 'rispostegiuste', 'risposteesatte', 'corrette'],
    ...['odpowiedz', 'poprawnaodpowiedz', 'prawidłowaodpowiedz', 'poprawna', 'prawidłowa'],
    ...['poprawneodpowiedzi', 'prawidłoweodpowiedzi', 'poprawne', 'prawidłowe'],
  ],
  numbers: [
    ...['correctnumbers', 'correctnumber', 'correctletters', 'correctletter'],
    ...['correctanswernumber', 'correctindex', 'correctanswerindex', 'answerindex'],
    // Blooket and Kahoot
    ...['correctanswersonlyincludeanswer', 'correctanswerschooseatleastone'],
  ],
  options: [
    ...['answers', 'options', 'choices', 'possibleanswers', 'answeroptions', 'answerchoices'],
    ...['antworten', 'antwortmoglichkeiten', 'reponses', 'choix', 'respuestas', 'opciones'],
    ...['respostas', 'opcoes', 'alternativas', 'risposte', 'opzioni', 'odpowiedzi'],
  ],
  wrongs: [
    ...['wronganswers', 'wrongoptions', 'wrongchoices', 'wrongs', 'distractors'],
    ...['incorrectanswers', 'incorrectoptions', 'incorrectchoices', 'falscheantworten'],
    ...['mauvaisesreponses', 'respuestasincorrectas', 'respostaserradas', 'respostasincorretas'],
    ...['rispostesbagliate', 'risposteerrate', 'błedneodpowiedzi'],
  ],
} satisfies Record<string, readonly string[]>;

/** `option`: one answer, correct or not; `wrong`: one that is not. */
export type QuestionField = keyof typeof NAMES | 'option' | 'wrong';

/** The names by which users say what a column is. */
export const COLUMN_NAMES: Record<QuestionField, string> = {
  text: 'question',
  option: 'answer_1',
  correct: 'correct_answer',
  numbers: 'correct_numbers',
  wrong: 'wrong_answer',
  options: 'answers',
  wrongs: 'wrong_answers',
  type: 'type',
  difficulty: 'difficulty',
  format: 'format',
  explanation: 'explanation',
  source: 'source',
  licence: 'licence',
  quizTitle: 'quiz_title',
  quizDescription: 'quiz_description',
  quizCategory: 'quiz_category',
  quizDifficulty: 'quiz_difficulty',
  quizTags: 'quiz_tags',
  quizLanguage: 'quiz_language',
  quizTimeLimit: 'quiz_time_limit',
  quizMaxAttempts: 'quiz_max_attempts',
  quizQuestionsPerAttempt: 'quiz_questions_per_attempt',
  quizAcceptTypos: 'quiz_accept_typos',
};

export const isField = (name: string): name is QuestionField => Object.hasOwn(COLUMN_NAMES, name);

const FIELDS = new Map(
  Object.entries(NAMES).flatMap(([field, names]) =>
    names.map((name) => [name, field as QuestionField] as const),
  ),
);

/** English, German, French, Spanish, Portuguese, Italian and Polish, without accents. */
const OPTION =
  /^(?:possible)?(?:answer|option|choice|antwort|auswahl|reponse|choix|proposition|respuesta|opcion|resposta|opcao|alternativa|risposta|opzione|odpowiedz|opcja)(?:option|choice)?(?:\d{1,3}|[a-z])$|^[a-j]$/;
const WRONG =
  /^(?:(?:wrong|incorrect|distractor)(?:answer|option|choice)?|falsch|falscheantwort|(?:mauvaise|fausse)(?:reponse)?|reponseincorrecte|(?:respuesta)?(?:incorrecta|erronea)|respuestafalsa|(?:resposta)?(?:errada|incorreta)|(?:risposta)?(?:sbagliata|errata)|(?:zła|błedna)(?:odpowiedz)?|distrator)(?:\d{1,3}|[a-z])?$/;

/**
 * The field that a name means. Hints of templates in a name are ignored: `2. Question`, `Question - max 120
 * characters`, `Answer 3 (Optional)`.
 */
export function fieldOf(name: string): QuestionField | undefined {
  const [start = ''] = name.split(/ [-–—] |[(\r\n]/, 1);
  return (
    known(plainName(name)) ?? known(plainName(start)) ?? known(plainName(start).replace(/^\d+/, ''))
  );
}

/** What a list of column names means, in terms of `ReadOptions`. @throws Malformed */
export function readColumns(names: string): string[] {
  return names.split(',').map((name) => {
    const field = fieldOf(name.trim());
    if (!field && !['', '-'].includes(name.trim()))
      throw new Malformed(
        `columns: ${quote(name)} is not a kind of column. Use ${Object.values(COLUMN_NAMES).join(', ')}, or - to leave a column out.`,
        'invalid-parameter',
      );
    return field ?? '';
  });
}

/** A name in the form in which names are compared. Names of more than 200 characters do not occur. */
export const plainName = (name: string): string =>
  name
    .slice(0, 200)
    .trim()
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .replace(/#$/, 'number')
    .replace(/[^\p{L}\p{N}]+/gu, '');

function known(name: string): QuestionField | undefined {
  // The plurals first: "options" is no option S.
  const field = FIELDS.get(name);
  if (field) return field;
  if (OPTION.test(name)) return 'option';
  return WRONG.test(name) ? 'wrong' : undefined;
}

/** What a row of a table or a JSON object has for a question, '' for missing fields. */
export type GivenFields = ReadonlyMap<QuestionField, readonly string[]>;

/**
 * The row for these fields.
 * @param first whether the numbers of correct answers count from 0 or 1
 * @param more `answers`: those that are marked already
 */
export function rowOfFields(
  place: FilePosition,
  given: GivenFields,
  first: FirstNumber,
  more: {
    quiz?: QuizOfRow | undefined;
    notes?: string[];
    errors?: string[];
    answers?: AnswerInput[];
    /** What a table calls the column of the correct answers; '' if it has none. */
    keyName?: string | undefined;
  },
): ParsedRow | ErrorRow {
  const errors = [...(more.errors ?? [])];
  const text = (field: QuestionField): string => given.get(field)?.[0] ?? '';
  const kind = text('type');
  const named = kind ? questionTypeOf(kind) : undefined;
  if (kind && !named)
    errors.push(
      `the type ${quote(kind)} is unknown: write MULTIPLE_CHOICE, TRUE_FALSE or OPEN_ENDED`,
    );
  const level = text('difficulty');
  const difficulty = level ? difficultyOf(level) : undefined;
  if (level && !difficulty)
    errors.push(`the difficulty ${quote(level)} is unknown: write EASY, MEDIUM, HARD or EXPERT`);
  const written = text('format').toLowerCase();
  const format = QUESTION_FORMATS.find((known) => known === written);
  const notes = [...(more.notes ?? [])];
  if (written && !format)
    notes.push(
      `The format ${quote(text('format'))} is unknown: the question is shown as it is written.`,
    );
  // A value that could not be read needs no second error about its consequences.
  if (errors.length > 0) return { ...place, error: sentence(errors) };
  const type = named ?? (more.answers ? undefined : impliedType(given));
  const answers = more.answers ?? answersOf(given, type, first, more.keyName);
  if (typeof answers === 'string') return { ...place, error: sentence([answers]) };
  const key = given.get('correct')?.find(Boolean) ?? '';
  // In a deck in capitals it may be the translation of a word.
  if (!named && type === 'TRUE_FALSE' && key && !/^(?:true|false)$/i.test(key))
    notes.push(`The answer ${quote(key)} is read as ${truthOf(key)}.`);
  const question = {
    text: text('text'),
    type,
    difficulty,
    format,
    explanation: text('explanation'),
    answers,
    source: text('source'),
    licence: text('licence'),
  };
  return rowOf(place, question, { quiz: more.quiz, notes });
}

/** A question with only its answer is a flash card. */
function impliedType(given: GivenFields): QuestionType | undefined {
  if ((['option', 'options', 'wrong', 'wrongs'] as const).some((field) => given.has(field)))
    return undefined;
  const isTruth = given.get('correct')?.every((key) => key === '' || isTruthWord(key));
  return isTruth === false ? 'OPEN_ENDED' : 'TRUE_FALSE';
}

/** The answers with their marks, or the error. */
function answersOf(
  given: GivenFields,
  type: QuestionType | undefined,
  first: FirstNumber,
  keyName?: string,
): AnswerInput[] | string {
  const all = (field: QuestionField): readonly string[] => given.get(field) ?? [];
  const [correct, numbers] = [all('correct').filter(Boolean), all('numbers').filter(Boolean)];
  const options = [...all('option'), ...all('options')].map(tidy);
  const unmarked = [...all('wrong'), ...all('wrongs')]
    .filter((text) => text.trim())
    .map((text) => ({ text, isCorrect: false }));
  const hasKey = correct.length + numbers.length > 0;
  if (type === 'OPEN_ENDED' && !hasKey)
    return [...options.filter(Boolean).map((text) => ({ text, isCorrect: true })), ...unmarked];
  if (!hasKey)
    return keyName === ''
      ? 'no correct answer is given: choose the column that names it, or add one'
      : `no correct answer is given: write its text, number or letter in ${keyName ? `the column ${quote(keyName)}` : 'the field "correct_answer"'}`;
  if (!options.some(Boolean)) {
    const [key = '', ...others] = correct;
    const truth = type === 'TRUE_FALSE' && !others.length && !unmarked.length && truthOf(key);
    if (truth) return ['True', 'False'].map((text) => ({ text, isCorrect: text === truth }));
    const marked = correct.map((text) => ({ text, isCorrect: true }));
    return type === 'OPEN_ENDED' ? [...marked, ...unmarked] : sorted([...marked, ...unmarked]);
  }
  const chosen = new Set<number>();
  // More are refused: comparing thousands of keys with as many answers took 3 s for 32 KiB.
  const isTooMany = options.filter(Boolean).length > MOST;
  const keys = isTooMany ? [] : [...new Set<string>(numbers.length ? numbers : correct)];
  const found = keys.map((key) =>
    numbers.length ? byNumber(key, options, first) : byAnything(key, options, first),
  );
  for (const places of found) {
    if (typeof places === 'string') return places;
    for (const place of places) chosen.add(place);
  }
  const marked = options.map((text, place) => ({ text, isCorrect: chosen.has(place) }));
  return [...marked.filter(({ text }) => text), ...unmarked];
}

const MOST = LIMITS.content.answersPerQuestion.value;

const ORDER = new Intl.Collator('en', { numeric: true });

/** The correct answer was separate from the others: sorted, its position reveals nothing. True before False. */
function sorted(answers: AnswerInput[]): AnswerInput[] {
  const isTrueFalse = answers.every(({ text }) => /^(?:true|false)$/i.test(text));
  return answers.sort((a, b) => ORDER.compare(a.text, b.text) * (isTrueFalse ? -1 : 1));
}
