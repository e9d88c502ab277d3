import { NearDuplicates, similarity } from './near-duplicates.rules';

describe('texts that are near', () => {
  it('are alike by the share of their trigrams, in any case and punctuation', () => {
    expect(similarity('Which planet?', 'WHICH  planet')).toBe(1);
    expect(similarity('Which planet?', 'Who wrote it?')).toBeLessThan(0.3);
    expect(similarity('', '?')).toBe(0);
  });

  it('are found, the most alike of all', () => {
    const near = new NearDuplicates();
    near.add('Which planet of the solar system is the largest one?', 'a');
    near.add('Which planet of the solar system is the largest?', 'b');
    near.add('Which river is the longest of the world?', 'c');
    expect(near.find('Which planet of the Solar System is the largest')?.place).toBe('b');
    expect(near.find('Who wrote Hamlet?')).toBeNull();
    expect(near.find('')).toBeNull();
  });

  it('are found among very many, and a look-up stays short among many that begin alike', () => {
    const near = new NearDuplicates();
    for (let i = 0; i < 20_000; i += 1)
      near.add(`What is the capital of the country number ${i}?`, `${i}`);
    near.add('Whose painting is called The Night Watch in English?', 'it');
    const begun = performance.now();
    for (let i = 0; i < 200; i += 1)
      expect(near.find('Whose painting is called “The Night Watch” in English')?.place).toBe('it');
    for (let i = 0; i < 200; i += 1) near.find(`What is the capital of the country number ${i}0?`);
    // A comparison with all of them would take a minute.
    expect(performance.now() - begun).toBeLessThan(5_000);
  });
});
