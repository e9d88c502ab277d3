import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COLOURS } from './share-image';

const css = readFileSync(join(__dirname, '../assets/dashboard.css'), 'utf8');
const hues = [...css.matchAll(/\[data-hue='\d+'\] \{\s*--hue: (\d+);/g)].map(([, hue]) =>
  Number(hue),
);

/** As CSS Color 4 converts it; channels out of sRGB are cut off. */
function hexOf(lightness: number, chroma: number, hue: number): string {
  const [a, b] = [Math.cos, Math.sin].map((of) => chroma * of((hue * Math.PI) / 180)) as [
    number,
    number,
  ];
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  const channels = linear.map((value) => {
    const cut = Math.min(1, Math.max(0, value));
    const gamma = cut <= 0.0031308 ? 12.92 * cut : 1.055 * cut ** (1 / 2.4) - 0.055;
    return Math.round(255 * gamma)
      .toString(16)
      .padStart(2, '0');
  });
  return `#${channels.join('')}`;
}

/** The oklch() after this property, with its lightness and chroma, and by how much it turns the hue. */
function coloursOf(property: string): [lightness: number, chroma: number, turn: number][] {
  const [, value = ''] = new RegExp(`${property}: ([^;]+);`).exec(css) ?? [];
  return [
    ...value.matchAll(/oklch\(([\d.]+) ([\d.]+) (?:calc\()?var\(--hue\)(?: \+ (\d+)\))?\)/g),
  ].map(([, lightness, chroma, turn = '0']) => [Number(lightness), Number(chroma), Number(turn)]);
}

it('the picture of each topic has the colours of its cover in the style sheet', () => {
  const [from, to] = coloursOf('--topic-fill');
  const [ink] = coloursOf('--topic');
  expect(hues).toHaveLength(12);
  expect(COLOURS).toEqual(
    hues.map((hue) =>
      [from!, to!, ink!].map(([lightness, chroma, turn]) => hexOf(lightness, chroma, hue + turn)),
    ),
  );
});
