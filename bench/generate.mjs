// node bench/generate.mjs --scale 1k|100k|1m [--data-dir <dir>] [--database <url>]
//
// Makes the data that the benches read: skewed as real content is (Zipf's tags, owners, categories and plays,
// 12 topics, 120 categories, 97 % public), ten questions a quiz, the same rows for the same scale everywhere.
// Into an embedded database in <dir> (default data/bench-<scale>), where the benches find it again, or into an
// empty database of your own.
import { parseArgs } from 'node:util';
import { openData } from './data/open.mjs';
import { load } from './data/load.mjs';
import { quizzesAt } from './data/scales.mjs';

const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '1k' },
    'data-dir': { type: 'string' },
    database: { type: 'string' },
  },
});
const { scale, database } = values;
quizzesAt(scale);
const say = (line) => console.log(line);
if (database) await load(database, scale, say);
else {
  const opened = await openData(scale, { dataDir: values['data-dir'], say });
  console.log(opened.loaded ? `Ready: ${opened.dataDir}` : `Already there: ${opened.dataDir}`);
  await opened.close();
}
