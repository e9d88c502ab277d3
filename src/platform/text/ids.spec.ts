import { isId, newAnswerIds, newId } from './ids';

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const timeOf = (id: string) => parseInt(id.replace('-', '').slice(0, 12), 16);

describe('identifiers', () => {
  it('identifiers are UUIDs of version 7 with the time they are made', () => {
    const before = Date.now();
    const id = newId();
    expect(id).toMatch(UUID_V7);
    expect(isId(id)).toBe(true);
    expect(timeOf(id)).toBeGreaterThanOrEqual(before);
    expect(timeOf(id)).toBeLessThanOrEqual(Date.now());
  });

  it('identifiers ascend strictly, also within a millisecond and when the clock is set back', () => {
    const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    const ids = Array.from({ length: 6_000 }, newId);
    now.mockReturnValue(Date.now() - 5_000);
    ids.push(newId());
    now.mockRestore();
    expect(ids).toEqual([...ids].sort());
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => !UUID_V7.test(id))).toEqual([]);
  });

  it('identifiers of answers are unordered, unique and of the moment of their question', () => {
    const question = newId();
    const ids = newAnswerIds(question, 50);
    for (const id of ids) expect(id).toMatch(UUID_V7);
    expect(new Set(ids.map(timeOf))).toEqual(new Set([timeOf(question)]));
    expect(new Set(ids).size).toBe(50);
    expect(ids).not.toEqual([...ids].sort());
  });
});
