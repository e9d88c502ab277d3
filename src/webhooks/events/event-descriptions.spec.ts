import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVENT_NAMES } from '../../events/event-map';

test('docs/webhooks.md describes every event, in a table or in a paragraph of its own', () => {
  const guide = readFileSync(join(__dirname, '../../../docs/webhooks.md'), 'utf8');
  const described = [...guide.matchAll(/^(?:\| `([a-z.]+)` |\*\*`([a-z.]+)`\*\*)/gm)];
  const names = described.map(([, inTable, inText]) => inTable ?? inText);
  expect(EVENT_NAMES.filter((name) => !names.includes(name))).toEqual([]);
});
