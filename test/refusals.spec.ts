import { FORMAT_NAMES, formatOf } from '../src/import-export/formats/formats';
import { quotaProblem } from '../src/import-export/imports/import.rules';
import { type MessageKey, messagesIn } from '../src/platform/messages/messages';
import { noticeText, translated, WRITTEN_BY_SERVICES } from '../src/platform/messages/refusals';
import { EVENT_TEXTS } from '../src/webhooks/events/event-descriptions';
import { type Sentence, sentencesIn, textsIn, VALUE } from './support/service-sentences';

/** What services write for people is in the German catalogue, as far as a page can show it. */

const FOLDERS = [
  'access',
  'authoring',
  'catalog',
  'import-export',
  'media',
  'play',
  'platform/errors',
  'platform/hardening',
  'platform/health',
  'platform/markdown',
  'platform/http/request',
  'webhooks',
  'web/dashboard',
  'web/http',
  'web/player',
];

/** Files whose sentences only programs, assistants, quizctl and the log show. */
const FOR_PROGRAMS = [
  /access\/api-keys\/(api-key|plan)\.guard/, // requests with a key
  /access\/rate-limit\/redis-throttler-storage/, // Lua
  /authoring\/questions\/questions\.dto/, // forms say it in their own words (question-form.ts)
  /authoring\/quizzes\/quiz-(drafting|to-edit)/, // assistants
  /authoring\/review\/live-quiz\.rules/, // keys without a scope
  /catalog\/opentdb\//,
  /import-export\/exports\/backup/, // the log
  /play\/attempts\/attempts?\.(rules|service)/, // answers in JSON; forms say it in their own words
  /catalog\/.*\.dto/, // queries of the API
  /catalog\/quizzes\/play-counter/, // the log
  /import-export\/imports\/local-imports/, // quizctl
  /import-export\/formats\/.*\.writer/, // files
  /import-export\/imports\/running\/cpu-time/, // code of a thread
  /platform\/health\/monitor-server/,
  /platform\/http\/request\//, // bodies and queries of the API; those of forms are below
  /webhooks\/(events|sending)\//,
  /web\/dashboard\/queues\//, // the board of queues is in English
  /web\/player\/embed\.controller/, // oEmbed
];

/** Sentences of other files that no page shows. */
const NOT_SHOWN = [
  'Only administrators can change `featured`. Leave it out.',
  'state needs mine=true: it filters your own quizzes only.',
  'The file arrived as a JSON string: send its bytes.',
  'Send the file itself as the body, not a form: ….',
  'Some quizzes could not be analysed',
  // The page leaves out the text instead.
  'The sheet is too long to be corrected here.',
  'Invalid API key.',
  // The page lists attempts without their answers.
  'The answers of these attempts are larger than … MiB: set limit to …, or use format=csv.',
  'The Accept header does not allow JSON, the only response format. Send Accept: application/json, or omit the header.',
  'The resource has changed since you read it, or If-Match does not match its ETag. Fetch it again and retry with the current ETag.',
  'This is a test: your endpoint works.',
  'it must have at least one of: url, events, disabled, allAccounts',
  "Only the quiz's owner gives players more time. Leave `timeFactor` out, or use a key of that account with the scope `read`.",
  'No question matches the filter, so there is nothing to play. Choose a wider filter.',
  // The form of a link says it in its own words.
  'closesAt must be in the future',
  // The player knows these states, and shows what follows from them.
  'This attempt has been submitted and accepts no more answers.',
  'The time for this attempt is over. Submit it: the answers that were given in time are scored.',
  'No attempts are left: the author of this quiz allows 2 for each player. The best result is 3 of 5.',
  'This question has been answered and its solution revealed: the first answer counts.',
];
/** How sentences begin about what only the JSON of a program can get wrong: forms send strings, and choices of their lists. */
const OF_JSON = [
  '$path must be an array',
  '$path must be an object',
  '$path must be a string',
  '$path must list at most',
  '$path must hold at least 1 answer id',
  '$path must hold at most … event types',
  'columns: ',
  'events must not hold "…"',
  'The id of the ',
];

/** How texts begin that are no sentence of their own, or none of a service. */
const PARTS = [
  // Categories.
  'Religion & Faith',
  'Science & Technology',
  // They end a sentence that is found as a whole: what to do.
  'Import into a quiz of your own',
  'Delete a quiz',
  'Delete questions or quizzes',
  'Choose another format',
  'Share it by',
  'Publish it first',
  'WEBHOOK_ALLOW_INSECURE',
  'The rest was not imported',
  // In brackets or after a colon: why, and an example.
  'a part has no length',
  'a box is shorter',
  'a segment does not begin',
  'a frame ',
  'an item is of two kinds',
  'an item is part',
  'its items overlap',
  'iloc is unknown',
  'the checksum of … differs',
  'its header is not',
  'its timing is unknown',
  'it is described twice',
  'it says twice',
  'it has two headers',
  'it has no description',
  'it has no properties',
  'it has no pixels',
  'it has an unknown ',
  'it has a part that is unknown',
  'it has two frames',
  'it does not say how large',
  'it begins with no ',
  'it is of no known kind',
  'the quiz has more versions',
  '… is in the future',
  '… is not an object',
  '…. For example: ',
  '{"text"',
  // Inserted between other texts.
  'the question …',
  '… is not valid: …',
  // Not for readers: the log, the documentation, code, names, and questions that are examples.
  '… be decrypted with this ENCRYPTION_KEY',
  'Pictures that nothing shows',
  'With `format=csv`',
  'Whole seconds to wait',
  'claude mcp',
  'curl ',
  'src alt',
  'p div',
  'br span',
  'script style',
  'img audio',
  'true or false',
  'CC BY',
  'Entertainment: ',
  'Science & Nature',
  'Which river flows',
  'Which of these',
  'The Nile',
];

const german = messagesIn('de');
const STARTER = { name: 'Starter', canUpgrade: true };
const PRO = { name: 'Pro', canUpgrade: false };

/** Whether it has a German sentence, with some value for each of those that it inserts. */
function isKnown(text: string): boolean {
  const known = (english: string) =>
    translated(english, german, ...WRITTEN_BY_SERVICES, 'report.') !== english;
  return ['7', 'x', 'failed'].some((value) => {
    const english = text.replaceAll(VALUE, value).replace('$path', 'x');
    // The field or the value that it is about stands before it.
    const isContinued = /^[a-z]/.test(english);
    return known(english) || (isContinued && known(`x ${english}`));
  });
}

const found = sentencesIn(...FOLDERS);
const unknown = found
  .filter(({ text }) => !isKnown(text))
  .map(({ file, text }) => ({ file, text: text.replaceAll(VALUE, '…') }));
const isForPrograms = ({ file }: Sentence) => FOR_PROGRAMS.some((it) => it.test(file));
const isExcluded = ({ text }: Sentence) =>
  NOT_SHOWN.includes(text) || [...OF_JSON, ...PARTS].some((start) => text.startsWith(start));

test('every sentence that a service writes for a page is in the German catalogue', () => {
  expect(found.length).toBeGreaterThan(250);
  const missing = unknown.filter((it) => !isForPrograms(it) && !isExcluded(it));
  expect(missing).toEqual([]);
});

test('every notice, event and format that has words of its own is in the German catalogue', () => {
  const notices = textsIn('access/notices/notices.listener.ts').map(({ text }) => text);
  const events = Object.values(EVENT_TEXTS).map(({ description }) => description);
  // `Moodle XML` is a name.
  const formats = FORMAT_NAMES.map((name) => formatOf(name).title).filter((title) =>
    /(?<!\p{L})\p{Ll}/u.test(title),
  );
  expect([notices.length > 10, formats.length]).toEqual([true, 3]);
  const shown = [...notices, ...events, ...formats];
  expect(shown.filter((text) => !isKnown(text))).toEqual([]);
});

test('each exception is needed for a sentence that exists', () => {
  const files = FOR_PROGRAMS.filter((it) => !unknown.some(({ file }) => it.test(file)));
  const others = unknown.filter((it) => !isForPrograms(it));
  const whole = NOT_SHOWN.filter((text) => !others.some((it) => it.text === text));
  const starts = [...OF_JSON, ...PARTS].filter(
    (start) => !others.some(({ text }) => text.startsWith(start)),
  );
  expect([...files, ...whole, ...starts]).toEqual([]);
});

test('a value of a sentence stays as it was written', () => {
  expect(
    translated(
      'The topic “007” has categories. Move them to another topic or delete them first.',
      german,
    ),
  ).toBe(
    'Das Thema „007“ hat Kategorien. Verschiebe sie in ein anderes Thema, oder lösche sie vorher.',
  );
  expect(
    translated('Line 1,234 contains a NUL byte, so this is not a text file.', german),
  ).toContain('Zeile 1234 enthält');
  const doubted = '3 of 5 players chose “1,000”; 1 chose “2,000”, which is marked correct.';
  expect(noticeText(doubted, german)).toMatch(/„1,000“.*„2,000“/);
});

test.each([
  [
    'The picture is not valid: it is cut off. Save it again, or copy the whole file.',
    'Das Bild ist nicht gültig: es ist abgeschnitten. Speichere es noch einmal, oder kopiere die ganze Datei.',
  ],
  [
    'The picture is not valid: it has 9,000 × 20 pixels, and at most 8,000 × 8,000 are accepted. Make it smaller.',
    'Das Bild ist nicht gültig: es hat 9.000 × 20 Pixel, und höchstens 8.000 × 8.000 gehen. Mach es kleiner.',
  ],
  [
    'The picture is not valid: one of its frames is larger than 8,000 × 8,000 pixels. Make it smaller.',
    'Das Bild ist nicht gültig: eines seiner Einzelbilder ist größer als 8.000 × 8.000 Pixel. Mach es kleiner.',
  ],
  [
    'The picture is not valid: a frame has another size than the others. Save it again without layers.',
    'Das Bild ist nicht gültig: ein Einzelbild ist anders groß als die anderen. Speichere es noch einmal ohne Ebenen.',
  ],
  [
    'Line 7 is not JSON: "]" found where "," or "}" is expected. Fix it there, or export the file again.',
    'Zeile 7 ist kein JSON: "]" steht, wo „,“ oder „}“ fehlt. Korrigiere sie, oder exportiere die Datei noch einmal.',
  ],
  [
    "The service failed 5 times at one place of the import, because of an error of its own, and the import was stopped. Import the file again: the questions that you have stay, and are skipped. If that happens again, report the import's id to the operator: 0192.",
    'Der Dienst ist 5-mal an einer Stelle des Imports gescheitert, durch einen eigenen Fehler, und der Import wurde angehalten. Importiere die Datei noch einmal: Was du schon hast, bleibt und wird übersprungen. Passiert das noch einmal, nenne dem Betreiber die Kennung des Imports: 0192.',
  ],
  // What a library says stays in English.
  [
    'Line 3 is not readable XML: unexpected close tag. Fix it there, or export the file again.',
    'Zeile 3 ist kein lesbares XML: unexpected close tag. Korrigiere sie, oder exportiere die Datei noch einmal.',
  ],
  [
    'The ZIP archive is damaged, cut off or unsafe (“end of central directory”): make it again.',
    'Das ZIP-Archiv ist beschädigt, abgeschnitten oder unsicher (“end of central directory”): Mach es neu.',
  ],
  [
    '"a.txt" and 1 other file are not part of the archive and are ignored.',
    '"a.txt" und 1 weitere Datei gehören nicht zum Archiv und bleiben weg.',
  ],
  [
    '"a.txt" and 1,200 other files are not part of the archive and are ignored.',
    '"a.txt" und 1.200 weitere Dateien gehören nicht zum Archiv und bleiben weg.',
  ],
  [
    'The file cannot be read: it is not valid XML (1:3: text data outside of root node.).',
    'Die Datei lässt sich nicht lesen: sie ist kein gültiges XML (1:3: text data outside of root node.).',
  ],
  [
    'The file cannot be read: the file mixes encodings: line 2 is not UTF-8, though line 1 is. Save it again as UTF-8.',
    'Die Datei lässt sich nicht lesen: Die Datei mischt Kodierungen: Zeile 2 ist kein UTF-8, Zeile 1 schon. Speichere sie als UTF-8.',
  ],
  ['“item.xml” cannot be read: it is empty.', '“item.xml” lässt sich nicht lesen: sie ist leer.'],
  [
    'GIFT cannot be read here (line 2): the answers do not end: close them with "}".',
    'GIFT lässt sich hier nicht lesen (Zeile 2): Die Antworten enden nicht: Schließe sie mit „}“.',
  ],
  [
    'GIFT cannot be read here (line 2): write each number in digits with a decimal point and no unit, such as 1000, 0.5 or -2.25.',
    'GIFT lässt sich hier nicht lesen (Zeile 2): Schreibe jede Zahl in Ziffern mit Dezimalpunkt und ohne Einheit, etwa 1000, 0.5 oder -2.25.',
  ],
  [
    'The file is a GIF picture, not a text file: choose the file that holds the questions.',
    'Die Datei ist ein Bild (GIF) und keine Textdatei: Wähle die Datei mit den Fragen.',
  ],
  [
    'The numbers of the correct answers count from 0 here (as programs do): 0 is the first answer.',
    'Die Nummern der richtigen Antworten zählen hier ab 0 (wie in Programmen): 0 ist die erste Antwort.',
  ],
  [
    'It has 3 answers to give (matching, or several gaps): write one question for each.',
    'Sie verlangt 3 Antworten (Zuordnung oder mehrere Lücken): Schreibe für jede eine Frage.',
  ],
  [
    'It has nothing to answer (a text, or an essay): make it a question with answers.',
    'An ihr ist nichts zu beantworten (ein Text oder ein Aufsatz): Mach eine Frage mit Antworten daraus.',
  ],
  [
    'Partial credit is not kept: an answer is correct or wrong (1: 50 % counts as correct, 2: 25 % counts as wrong).',
    'Teilpunkte entfallen: Eine Antwort ist richtig oder falsch (1: 50 % gelten als richtig, 2: 25 % gelten als falsch).',
  ],
  [
    'explanation has the formula “\\def\\a{b}”, which defines a command, which is not supported: write it out.',
    'Die Formel “\\def\\a{b}” definiert einen Befehl, was nicht geht: Schreibe ihn aus.',
  ],
  [
    'The text has the formula “\\color{red}x”, which sets a colour, which is not supported: leave it out.',
    'Die Formel “\\color{red}x” setzt eine Farbe, was nicht geht: Lass sie weg.',
  ],
  [
    'The correct answer “Rome” is not among the options: make it equal to one.',
    'Die richtige Antwort “Rome” passt zu keiner Antwort: Mach sie einer gleich.',
  ],
])(
  'the reason why a file or a question cannot be read is in the German sentence: %s',
  (english, text) => {
    expect(translated(english, german)).toBe(text);
  },
);

test.each([
  [
    quotaProblem({ needed: 1_200, fewest: 1, owned: 1_200, room: 1 }, true, STARTER),
    'Die Datei ergibt 1.200 Quizze, und dein Tarif Starter hat nur für 1 davon Platz. Lösche 1.199 deiner Quizze, leg mehr Fragen in jedes neue Quiz, häng die Datei an ein Quiz an oder bitte um einen größeren Tarif.',
  ],
  [
    quotaProblem({ needed: 1, fewest: 1, owned: 9, room: 0 }, true, PRO),
    'Die Datei ergibt 1 Quiz, und dein Tarif Pro hat für keines Platz. Lösche eines deiner Quizze oder häng die Datei an ein Quiz an.',
  ],
  [
    quotaProblem({ needed: 300, fewest: 300, owned: 100, room: 150 }, false, STARTER),
    'Die Datei ergibt 300 Quizze, und dein Tarif Starter hat nur für 150 davon Platz. Bitte um einen größeren Tarif.',
  ],
  [
    quotaProblem({ needed: 300, fewest: 300, owned: 100, room: 150 }, false, PRO),
    'Die Datei ergibt 300 Quizze, und dein Tarif Pro hat nur für 150 davon Platz. Bitte einen Administrator um mehr Platz.',
  ],
])('why an import does not fit into a plan is in German with what to do: %s', (english, text) => {
  expect(translated(english, german)).toBe(text);
});

test('several errors of a row are several sentences in German, and text of a person stays as it is', () => {
  const errors =
    'The question has no text: write it; no answer is marked as correct: mark one; and 2 more.';
  expect(translated(errors, german)).toBe(
    ['rowText', 'rowMark'].map((it) => `${german.t(`refusal.${it}` as MessageKey)}.`).join(' ') +
      ' und 2 weitere.',
  );
  expect(noticeText('Reason: Image not found.', german)).toBe('Grund: Image not found.');
  expect(noticeText('“Paris” is misspelled', german)).toBe('“Paris” is misspelled');
});
