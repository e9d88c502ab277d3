import fc from 'fast-check';
import { cursorOf, readCursor } from './cursor.rules';

describe('the cursor of a page', () => {
  it('a cursor is read as the question it was made of', () => {
    const question = fc.record({
      quiz_id: fc.uuid(),
      position: fc.integer({ min: 1, max: 1_000 }),
    });
    fc.assert(
      fc.property(question, (key) => {
        expect(readCursor(cursorOf(key))).toEqual(key);
        expect(cursorOf(key)).toMatch(/^[\w-]{24}$/);
      }),
    );
  });

  it.each([undefined, '', 'x', 'a'.repeat(23), 'a'.repeat(25), '!'.repeat(24)])(
    'a text that is no cursor (%j) is ignored',
    (text) => expect(readCursor(text)).toBeUndefined(),
  );
});
