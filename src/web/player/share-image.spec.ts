import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { COLOURS, shareImage } from './share-image';

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

it('the colours of pictures are those of covers in the style sheet, for each topic', () => {
  const [from, to] = coloursOf('--topic-fill');
  const [ink] = coloursOf('--topic');
  expect(hues).toHaveLength(12);
  expect(COLOURS).toEqual(
    hues.map((hue) =>
      [from!, to!, ink!].map(([lightness, chroma, turn]) => hexOf(lightness, chroma, hue + turn)),
    ),
  );
});

it('the picture of each topic has its colours at two corners and in the icon', async () => {
  const found = await Promise.all(
    [...COLOURS.keys()].map(async (hue) => {
      const picture = sharp(await shareImage('page', { hue, icon: 'globe' })).removeAlpha();
      const { data, info } = await picture.raw().toBuffer({ resolveWithObject: true });
      const at = (x: number, y: number) => [
        ...data.subarray((y * info.width + x) * 3).subarray(0, 3),
      ];
      return [at(0, 0), at(info.width - 1, info.height - 1), at(info.width / 2, info.height / 2)];
    }),
  );
  const channels = COLOURS.flat().flatMap((colour) => [...Buffer.from(colour.slice(1), 'hex')]);
  const differences = found.flat(2).map((channel, index) => Math.abs(channel - channels[index]!));
  expect(differences).toHaveLength(12 * 3 * 3);
  // The palette rounds them.
  expect(Math.max(...differences)).toBeLessThan(8);
});
