// node scripts/release-notes.mjs v1.0.0: prints the section of CHANGELOG.md for that version. Exits 1, with the reason, if
// there is none, or if the tag is not the version of the service and of the typed client.
import { readFileSync } from 'node:fs';

const [, , tag = ''] = process.argv;
const version = tag.replace(/^v/, '');

function fail(reason) {
  process.stderr.write(`${reason}\n`);
  process.exit(1);
}

for (const file of ['package.json', 'clients/typescript/package.json']) {
  const found = JSON.parse(readFileSync(file, 'utf8')).version;
  if (found !== version)
    fail(`${file} has version ${found}, and the tag is ${tag}: change one of them.`);
}
const sections = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m);
const section = sections.find((it) => it.split(/\s/, 1)[0].replace(/[[\]]/g, '') === version);
if (!section) fail(`CHANGELOG.md has no section "## ${version}": rename "## Unreleased".`);
process.stdout.write(`${section.split('\n').slice(1).join('\n').trim()}\n`);
