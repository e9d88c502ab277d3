import fc from 'fast-check';
import { LIMITS } from '../../platform/limits/limits';
import { cursorOf, readCursor } from './cursor.rules';

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
});
