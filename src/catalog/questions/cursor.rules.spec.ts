import fc from 'fast-check';
import { LIMITS } from '../../platform/limits/limits';
import { cursorOf, pageCursorOf, readCursor, readPageCursor } from './cursor.rules';

describe('the cursor of a page', () => {
  it('readCursor returns the key of the question that cursorOf was given, from 24 characters', () => {
    const question = fc.record({
      quiz_id: fc.uuid(),
      position: fc.integer({ min: 1, max: LIMITS.content.questionsPerQuiz.value }),
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

  it('readPageCursor reads the cursor of the page at an offset, and ignores those of other pages', () => {
    const question = { quiz_id: '019a9f3e-6c00-7000-8000-000000000001', position: 7 };
    const after = pageCursorOf(question, 20);
    expect(readPageCursor(after, 20)).toEqual(question);
    for (const [text, offset] of [
      [after, 0],
      [after, 2],
      [cursorOf(question), 20],
      ['20.', 20],
      ['20.x', 20],
      [undefined, 20],
    ] as const)
      expect(readPageCursor(text, offset)).toBeUndefined();
  });
});
