import type { FormatName } from '../../../src/import-export/formats/formats';
import type { Subscriber } from '../../faults/harness/fixture';
import { hold, until } from '../../faults/harness/until';
import { type AttackTarget, inWords } from '../harness/attack-target';
import type { Repeated, Request, Statuses } from '../harness/attacker';
import type { AttackCase, Subject } from '../harness/case';

const KIB = 1024;
/** A worker reads it, also as a preview. */
const SIZE = 256 * KIB;

type Shape = [start: string, middle: string, end?: string];

const choices = (count: number) => Array.from({ length: count }, (_, n) => `c${n}`).join(',');
const moodle = (inside: string) =>
  `<quiz><question type="multichoice"><questiontext format="html"><text><![CDATA[${inside}`;
const entity = (name: string, of: string) => `<!ENTITY ${name} "${`&${of};`.repeat(10)}">`;
const LAUGHS = `<!DOCTYPE q [<!ENTITY a "lol">${entity('b', 'a')}${entity('c', 'b')}${entity('d', 'c')}]>`;

/** Formats of text. ZIP archives are attacked in test/stress/format-any-file.spec.ts and test/api/account-archive.spec.ts. */
type AttackedFormat = Exclude<FormatName, 'xlsx' | 'archive'> | 'any';

/** What each reader finds hardest: nesting, long lines, quadratic shapes, rows that all have an issue. */
const SHAPES: Record<AttackedFormat, Shape[]> = {
  any: [
    ['x', '\n'],
    ['', '§¶'],
    ['PK\u0003\u0004', '\0'],
    ['\u001f\u008b', '\0'],
  ],
  json: [
    ['', '['],
    ['{"questions":[', '{},', '{}]}'],
    ['[{"text":"', '\\u0000', '"}]'],
    ['[', '{"question":"Q?","options":["a","b"],"answer":"a"},', '{}]'],
    ['{', '"a":1e9,', '"b":0}'],
  ],
  jsonl: [
    ['', '{}\n'],
    ['{"text":"', 'word '],
    ['', '{"a":'],
    ['', '{"question":"Q?","options":["a","b"],"answer":"a"}\n'],
  ],
  csv: [
    ['question,a,b\n', 'x\n'],
    ['question,a,b\n"', '""'],
    [`question,${choices(5_000)}\n`, ','],
    ['question\tanswer\n', 'Q\t\r'],
    ['sep=;\n', 'question;'],
    ['#separator:tab\n#html:true\n', '<b>a\tb\n'],
    ['#separator:tab\n#html:true\na\t', '[sound:'],
    ['question,a,b,correct\n', '"Q?","a,|;","b","a|b;a"\n'],
  ],
  quizlet: [
    ['', 'a\tb\n'],
    ['', '\t'],
    ['a\tb\n', 'x\n'],
  ],
  qti: [
    ['<assessmentItem>', '<a>'],
    [`${LAUGHS}<questestinterop>`, '<item><name>&d;</name></item>', '</questestinterop>'],
    ['<questestinterop>', '<item/>', '</questestinterop>'],
  ],
  markdown: [
    ['1. Q?\n', '- [x] a\n'],
    ['', '1. Q?\n- [x] a\n- [ ] b\n\n'],
    ['', '**'],
    ['# ', 'Q '],
    ['<!-- {"quiz":{}} -->\n## Questions\n', '1. Q?\n\n- A. a\n'],
    ['<!-- {"quiz":{}} -->\n## Answer key\n1. **Accepted:**\n', '- [x] a\n'],
  ],
  gift: [
    ['$CATEGORY: a', ' ', 'x'],
    ['//', '[tag:', '\nQ {T}'],
    ['', '<p>\n\n{'],
    ['Q {', '=a ~%50%b -> c # d ####'],
    ['', 'Q {=a ~b}\n\n'],
  ],
  aiken: [
    ['Q?\nA. a\nB. b\nANSWER: A', ' ', 'x'],
    ['Q?\n', 'A. a\n', 'ANSWER: A\n'],
    ['', 'ANSWER: A\n'],
    ['', 'Q?\nA. a\nB. b\nANSWER: B\n\n'],
  ],
  'moodle-xml': [
    [moodle('<pre>'), ' ', ']]></text></questiontext></question></quiz>'],
    [moodle(''), '<p>a', ']]></text></questiontext></question></quiz>'],
    [moodle(''), '<b>', ']]></text></questiontext></question></quiz>'],
    [moodle(''), '&amp;', ']]></text></questiontext></question></quiz>'],
    ['<quiz>', '<a>'],
    [`${LAUGHS}<quiz>`, '<question type="essay"><name>&d;</name></question>', '</quiz>'],
    ['<quiz>', '<question type="multichoice"/>', '</quiz>'],
    ['<quiz><question ', 'a="b" '],
  ],
  opentdb: [
    ['{"response_code":0,"results":[', '{},', '{}]}'],
    ['{"response_code":0,"results":[{"question":"', '&amp;', '"}]}'],
    ['{"response_code":0,"results":[{"incorrect_answers":', '[', ''],
    ['{"response_code":0,"results":[{"question":"', '%41', '"}]}'],
  ],
  opentriviaqa: [
    ['', '#Q a\n'],
    ['#Q a\n^ b\n', 'A b\n'],
    ['#Q ', 'a\n'],
    ['', '#Q a\n^ b\nA a\nB b\n\n'],
  ],
};

const asFile = ([start, middle, end = '']: Shape, size: number): Repeated => ({
  start,
  middle,
  end,
  size,
});

const upload = (key: string, format: string, body: Repeated): Request => ({
  method: 'POST',
  path: `/api/v1/imports?dry_run=true&filename=file.txt${format === 'any' ? '' : `&format=${format}`}`,
  headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'text/plain' },
  body,
});

/** As a browser sends it. */
function preview(headers: Record<string, string>, format: string, file: Repeated): Request {
  const part = '--x\r\nContent-Disposition: form-data; name=';
  const named = format === 'any' ? '' : `${part}"format"\r\n\r\n${format}\r\n`;
  const start = `${named}${part}"file"; filename="file.txt"\r\n\r\n${file.start}`;
  const end = `${file.end}\r\n--x--\r\n`;
  const size = file.size - file.start.length - file.end.length + start.length + end.length;
  return {
    method: 'POST',
    path: '/dashboard/imports',
    headers: { ...headers, 'Content-Type': 'multipart/form-data; boundary=x' },
    body: { ...file, start, end, size },
  };
}

/** Every shape of a format: first as previews of the dashboard, then as imports. */
const hostile = (format: AttackedFormat, shapes: Shape[]): AttackCase => ({
  name: `${shapes.length} hostile files of ${format}, 256 KiB`,
  async run(target) {
    const account = await target.fixture.subscriber();
    const headers = await target.signedIn(account);
    const files = shapes.map((shape) => asFile(shape, SIZE));
    let previews: Statuses = {};
    let imports: Statuses = {};
    const figures = await target.beside(async () => {
      previews = await target.send(files.map((file) => preview(headers, format, file)));
      // An account has at most ten under way.
      await ended(target, account, 60_000);
      imports = await target.send(files.map((file) => upload(account.key, format, file)));
      await ended(target, account, 60_000);
    });
    hold((previews[303] ?? 0) === files.length, `previews: ${inWords(previews)}`);
    hold((imports[202] ?? 0) === files.length, `imports: ${inWords(imports)}`);
    return `${await outcome(target, account)}; ${figures}`;
  },
});

const underWay = async (target: AttackTarget, { accountId }: Subscriber) =>
  (
    await target.fixture.query(
      `SELECT FROM imports WHERE account_id = $1 AND state IN ('receiving', 'waiting', 'running')`,
      [accountId],
    )
  ).length;

const ended = (target: AttackTarget, account: Subscriber, within: number) =>
  until('the end of the imports', async () => !(await underWay(target, account)), within, 100);

/** Every one has ended well, or in a sentence. @returns how many of each */
async function outcome(target: AttackTarget, { accountId }: Subscriber): Promise<string> {
  const rows = await target.fixture.query<{ state: string; error: string | null; ms: number }>(
    `SELECT state, error, extract(epoch FROM finished_at - started_at) * 1000 AS ms
     FROM imports WHERE account_id = $1`,
    [accountId],
  );
  for (const { state, error } of rows)
    hold(
      state === 'completed' || (state === 'failed' && error?.endsWith('.')),
      `an import is ${state}: ${error}`,
    );
  const slowest = Math.max(...rows.map(({ ms }) => Number(ms)));
  const failed = rows.filter(({ state }) => state === 'failed').length;
  return `${rows.length - failed} read, ${failed} refused, the slowest in ${slowest.toFixed(0)} ms`;
}

/** Question files that are made to be hard to read. */
export const FILES: Subject = {
  name: 'files',
  cases: Object.entries(SHAPES).map(([format, shapes]) =>
    hostile(format as AttackedFormat, shapes),
  ),
};
