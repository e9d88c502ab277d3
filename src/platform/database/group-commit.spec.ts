import { GroupCommit } from './group-commit';

interface Item {
  id: string;
}

/** A statement that ends when the test says so. */
function statements() {
  const calls: { ids: string[]; end: (changed?: string[]) => void; fail: (e: Error) => void }[] =
    [];
  const group = new GroupCommit<Item, Item>(
    (items) =>
      new Promise((resolve, reject) => {
        const ids = items.map(({ id }) => id);
        const end = (changed = ids) => resolve(changed.map((id) => ({ id })));
        calls.push({ ids, end, fail: reject });
      }),
  );
  const add = (...ids: string[]) => ids.map((id) => group.add({ id }));
  return { calls, add };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('GroupCommit', () => {
  it('an item that comes alone is run at once', () => {
    const { calls, add } = statements();
    void add('a');
    expect(calls.map(({ ids }) => ids)).toEqual([['a']]);
  });

  it('items that arrive during a statement share the next one, and each gets its own row', async () => {
    const { calls, add } = statements();
    const results = Promise.all(add('a', 'b', 'c', 'd'));
    calls[0]!.end();
    await settled();
    expect(calls.map(({ ids }) => ids)).toEqual([['a'], ['b', 'c', 'd']]);
    calls[1]!.end(['d', 'b']);
    expect(await results).toEqual([{ id: 'a' }, { id: 'b' }, undefined, { id: 'd' }]);
  });

  it('a statement has at most 100 items', async () => {
    const { calls, add } = statements();
    void add('first', ...Array.from({ length: 130 }, (_, number) => `${number}`));
    calls[0]!.end();
    await settled();
    calls[1]!.end();
    await settled();
    expect(calls.map(({ ids }) => ids.length)).toEqual([1, 100, 30]);
  });

  it('an item with the id of another that waits is left to the next statement', async () => {
    const { calls, add } = statements();
    void add('first', 'a', 'b', 'a', 'c');
    calls[0]!.end();
    await settled();
    calls[1]!.end();
    await settled();
    expect(calls.map(({ ids }) => ids)).toEqual([['first'], ['a', 'b'], ['a', 'c']]);
  });

  it('items of another group do not wait', async () => {
    const runs: string[][] = [];
    const group = new GroupCommit<Item & { of: string }, Item>(
      (items) => {
        runs.push(items.map(({ id }) => id));
        return new Promise(() => {});
      },
      ({ of }) => of,
    );
    for (const [id, of] of [
      ['a', 'x'],
      ['b', 'y'],
      ['c', 'x'],
    ] as const)
      void group.add({ id, of });
    await settled();
    expect(runs).toEqual([['a'], ['b']]);
  });

  it('an item that fails its statement fails alone, and later items are run', async () => {
    const { calls, add } = statements();
    const results = Promise.allSettled(add('a', 'b', 'bad'));
    calls[0]!.end();
    await settled();
    calls[1]!.fail(new Error('invalid'));
    await settled();
    expect(calls.slice(2).map(({ ids }) => ids)).toEqual([['b'], ['bad']]);
    calls[2]!.end();
    calls[3]!.fail(new Error('invalid'));
    expect((await results).map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
    ]);
    await settled();
    void add('later');
    expect(calls.at(-1)!.ids).toEqual(['later']);
  });
});
