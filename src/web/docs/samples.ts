import { type Entry, isFile, mediaOf } from './reference.model';

/** Lines of code; those that do not apply are false. */
type Lines = (string | false)[];

/** The languages of the samples. The first is shown until the reader chooses another. */
const LANGUAGES = [
  { language: 'bash', label: 'curl', write: curl },
  { language: 'javascript', label: 'JavaScript', write: javascript },
  { language: 'typescript', label: 'TypeScript', write: typescript },
  { language: 'python', label: 'Python', write: python },
  { language: 'go', label: 'Go', write: go },
  { language: 'php', label: 'PHP', write: php },
];

/** The request of an endpoint in every language. The key is read from the variable KEY. */
export function samplesOf(entry: Entry, baseUrl: string) {
  const request = requestOf(entry, baseUrl);
  return LANGUAGES.map(({ language, label, write }) => ({
    language,
    label,
    code: join(write(request), '\n'),
  }));
}

/** The request with the values of the examples. A file has a type and no body. */
function requestOf({ method, path, operation }: Entry, baseUrl: string) {
  const { operationId, parameters = [], requestBody, responses, security } = operation;
  const places = parameters
    .filter((it) => it.in === 'path')
    .map(({ name, schema }) => [`{${name}}`, String(schema.examples?.[0])] as const);
  const url =
    baseUrl + places.reduce((text, [place, example]) => text.replace(place, example), path);
  const ids = places.map(([, example]) => example);
  const needsKey = security.length > 0;
  const media = mediaOf(requestBody?.content);
  const upload = media !== null && isFile(media.media);
  const file = upload ? fileFor(requestBody?.content ?? {}) : null;
  const type = file?.type ?? media?.type;
  const body: unknown = media?.media.example;
  // A ZIP is saved to a file: a terminal would garble it.
  const isZip = mediaOf(responses['200']?.content)?.type === 'application/zip';
  const saveAs = isZip ? 'quizzes.zip' : undefined;
  const sent = { type, body, file: file?.name };
  return { operationId, method, baseUrl, url, ids, needsKey, ...sent, saveAs };
}

const fileFor = (content: object) =>
  'image/png' in content
    ? { name: 'map.png', type: 'image/png' }
    : { name: 'questions.csv', type: 'text/csv' };

type SampleRequest = ReturnType<typeof requestOf>;

function curl({ method, url, needsKey, type, body, file, saveAs }: SampleRequest): Lines {
  const options = [
    `curl -s ${method === 'GET' || (method === 'POST' && type) ? '' : `-X ${method} `}"${url}"`,
    needsKey && '-H "Authorization: Bearer $KEY"',
    type !== undefined && `-H "Content-Type: ${type}"`,
    body !== undefined && `-d '${json(body).replaceAll("'", String.raw`'\''`)}'`,
    file !== undefined && `--data-binary @${file}`,
    saveAs !== undefined && `--output ${saveAs}`,
  ];
  return [join(options, ' \\\n  ')];
}

function javascript(request: SampleRequest): Lines {
  const { method, url, needsKey, type, body, file, saveAs } = request;
  const headers = join(
    [
      needsKey && '    Authorization: `Bearer ${process.env.KEY}`,',
      type !== undefined && `    'Content-Type': '${type}',`,
    ],
    '\n',
  );
  const json = body === undefined ? undefined : `JSON.stringify(${js(body)})`;
  const sent = file === undefined ? json : `await readFile('${file}')`;
  const options = join(
    [
      method !== 'GET' && `  method: '${method}',`,
      headers !== '' && `  headers: {\n${headers}\n  },`,
      sent !== undefined && `  body: ${indented(sent)},`,
    ],
    '\n',
  );
  return [
    file !== undefined && "import { readFile } from 'node:fs/promises';\n",
    saveAs !== undefined && "import { writeFile } from 'node:fs/promises';\n",
    options
      ? `const response = await fetch('${url}', {\n${options}\n});`
      : `const response = await fetch('${url}');`,
    saveAs === undefined
      ? 'console.log(await response.text());'
      : `await writeFile('${saveAs}', response.body);`,
  ];
}

/** The name of the typed client (clients/typescript), which the service serves. */
const CLIENT_PACKAGE = '@quiz-question-service/client';

/** The call of the typed client for every operation: `id` and `link` are in the path, `body` is the example. */
export const CLIENT_CALLS: Record<string, string> = {
  getMetadata: 'metadata()',
  listCategories: 'categories()',
  getMe: 'me()',
  deleteMe: 'deleteMe(body)',
  deleteAccount: 'deleteAccount(id, body)',
  getOpenApiJson: 'openApi()',
  getOpenApiYaml: 'openApiYaml()',
  getLiveness: 'health.live()',
  getReadiness: 'health.ready()',
  listQuizzes: 'quizzes.list()',
  createQuiz: 'quizzes.create(body)',
  getQuiz: 'quizzes.get(id)',
  updateQuiz: 'quizzes.update(id, body)',
  deleteQuiz: 'quizzes.delete(id)',
  copyQuiz: 'quizzes.copy(id, body)',
  resubmitQuiz: 'quizzes.resubmit(id)',
  exportQuiz: 'quizzes.export(id)',
  exportAccount: 'exportAccount()',
  copyQuestions: 'quizzes.copyQuestions(id, body)',
  importQuestions: 'quizzes.importQuestions(id, body.questions)',
  orderQuestions: 'quizzes.orderQuestions(id, body.ids)',
  getLeaderboard: 'quizzes.leaderboard(id)',
  listQuizAttempts: 'quizzes.attempts(id)',
  getQuizStatistics: 'quizzes.statistics(id)',
  regradeQuiz: 'quizzes.regrade(id)',
  listQuizLinks: 'links.list(id)',
  createQuizLink: 'links.create(id, body)',
  updateQuizLink: 'links.update(id, link, body)',
  revokeQuizLink: 'links.revoke(id, link)',
  findQuestions: 'questions.list()',
  countQuestions: 'questions.counts()',
  getQuestion: 'questions.get(id)',
  updateQuestion: 'questions.update(id, body)',
  deleteQuestion: 'questions.delete(id)',
  createImport: 'imports.create(file)',
  uploadPicture: 'media.upload(file)',
  listImports: 'imports.list()',
  getImport: 'imports.get(id)',
  listImportQuizzes: 'imports.quizzes(id)',
  undoImport: 'imports.undo(id)',
  cancelImport: 'imports.cancel(id)',
  startAttempt: 'attempts.start(id, body)',
  startAttemptAcrossQuizzes: 'attempts.startAcross(body)',
  getAttempt: 'attempts.get(id)',
  answerQuestion: 'attempts.answer(id, body)',
  submitAttempt: 'attempts.submit(id)',
  listWebhooks: 'webhooks.list()',
  createWebhook: 'webhooks.create(body)',
  getWebhook: 'webhooks.get(id)',
  updateWebhook: 'webhooks.update(id, body)',
  deleteWebhook: 'webhooks.delete(id)',
  testWebhook: 'webhooks.test(id)',
  rotateWebhookSecret: 'webhooks.rotateSecret(id, body.step)',
  retryFailedDeliveries: 'webhooks.retryFailed(id, new Date(body.since))',
  listDeliveries: 'deliveries.list()',
  getDelivery: 'deliveries.get(id)',
  retryDelivery: 'deliveries.retry(id)',
  listEvents: 'events()',
};

function typescript(request: SampleRequest): Lines {
  const { operationId, baseUrl, ids, needsKey, body, file, saveAs } = request;
  const template = CLIENT_CALLS[operationId];
  if (template === undefined) throw new Error(`CLIENT_CALLS has no call for ${operationId}.`);
  const values: Record<string, unknown> = { id: ids[0], link: ids[1], body };
  // An example inside of its call has the types of its parameter.
  const call = template.replace(
    /\b(id|link|body)\b(?:\.(\w+))?/g,
    (_, name: string, field?: string) => {
      const value = values[name];
      return js(field ? (value as Record<string, unknown>)[field] : value);
    },
  );
  const key = needsKey ? ', apiKey: process.env.KEY' : '';
  return [
    `// npm install ${baseUrl}/clients/typescript.tgz`,
    file !== undefined && "import { readFile } from 'node:fs/promises';",
    saveAs !== undefined && "import { writeFile } from 'node:fs/promises';",
    `import { QuizClient } from '${CLIENT_PACKAGE}';\n`,
    `const client = new QuizClient({ baseUrl: '${baseUrl}'${key} });`,
    file !== undefined && `const file = await readFile('${file}');`,
    saveAs === undefined
      ? `console.log(await client.${call});`
      : `const archive = await client.${call};\nawait writeFile('${saveAs}', archive.stream());`,
  ];
}

function python({ method, url, needsKey, type, body, file, saveAs }: SampleRequest): Lines {
  const value = literal(body, { null: 'None', true: 'True', false: 'False' });
  return [
    body !== undefined && 'import json',
    needsKey && 'import os',
    'import urllib.request\n',
    `request = urllib.request.Request("${url}", method="${method}")`,
    needsKey && 'request.add_header("Authorization", "Bearer " + os.environ["KEY"])',
    type !== undefined && `request.add_header("Content-Type", "${type}")`,
    body !== undefined && `request.data = json.dumps(${value}).encode()`,
    file !== undefined && `request.data = open("${file}", "rb").read()`,
    'with urllib.request.urlopen(request) as response:',
    saveAs === undefined
      ? '    print(response.read().decode())'
      : `    open("${saveAs}", "wb").write(response.read())`,
  ];
}

function go({ method, url, needsKey, type, body, file, saveAs }: SampleRequest): Lines {
  const stop = '\tif err != nil {\n\t\tlog.Fatal(err)\n\t}';
  return [
    'package main\n\nimport (\n\t"io"\n\t"log"\n\t"net/http"\n\t"os"',
    body !== undefined && '\t"strings"',
    ')\n\nfunc main() {',
    body !== undefined && `\tbody := strings.NewReader(\`${json(body)}\`)`,
    file !== undefined && `\tbody, err := os.Open("${file}")\n${stop}`,
    `\trequest, err := http.NewRequest("${method}", "${url}", ${type ? 'body' : 'nil'})`,
    stop,
    needsKey && '\trequest.Header.Set("Authorization", "Bearer "+os.Getenv("KEY"))',
    type !== undefined && `\trequest.Header.Set("Content-Type", "${type}")`,
    '\tresponse, err := http.DefaultClient.Do(request)',
    stop,
    '\tdefer response.Body.Close()',
    saveAs !== undefined &&
      `\tarchive, err := os.Create("${saveAs}")\n${stop}\n\tdefer archive.Close()`,
    `\tio.Copy(${saveAs === undefined ? 'os.Stdout' : 'archive'}, response.Body)\n}`,
  ];
}

function php({ method, url, needsKey, type, body, file, saveAs }: SampleRequest): Lines {
  const value = literal(body, { '{': '[', '}': ']', ':': ' =>' }).replaceAll('$', String.raw`\$`);
  const response = `file_get_contents('${url}', false, stream_context_create(['http' => $http]))`;
  return [
    '<?php',
    `$http = ['method' => '${method}', 'header' => []];`,
    needsKey && "$http['header'][] = 'Authorization: Bearer ' . getenv('KEY');",
    type !== undefined && `$http['header'][] = 'Content-Type: ${type}';`,
    body !== undefined && `$http['content'] = json_encode(${value});`,
    file !== undefined && `$http['content'] = file_get_contents('${file}');`,
    saveAs === undefined ? `echo ${response};` : `file_put_contents('${saveAs}', ${response});`,
  ];
}

const join = (lines: Lines, separator: string) =>
  lines.filter((line) => line !== false).join(separator);

/** A value as JavaScript: names of fields and strings as one writes them. */
const js = (value: unknown) =>
  (json(value) ?? '')
    .replace(/"(\w+)":/g, '$1:')
    // A string without an escape or an apostrophe in it.
    .replace(/"([^"'\\\n]*)"/g, "'$1'");

/** Indents every line after the first by two spaces. */
const indented = (text: string) => text.replaceAll('\n', '\n  ');

const json = (value: unknown) => JSON.stringify(value, null, 2);

/** JSON in another language: `words` replaces its tokens outside of strings. */
const literal = (value: unknown, words: Record<string, string>) =>
  (json(value) ?? '').replace(
    // eslint-disable-next-line redos/no-vulnerable -- the JSON is an example of ours
    /"(?:\\.|[^"\\])*"|[{}:]|null|true|false/g,
    (token) => words[token] ?? token,
  );
