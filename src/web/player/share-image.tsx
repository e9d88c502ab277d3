import { renderToString } from 'preact-render-to-string';
import { iconPath } from '../components/button';
import { COVER_BOX, coverPaths } from '../components/cover';
import type { TopicLook } from '../components/topic-look';

/** The path of a public quiz's picture. */
export const coverOf = (slug: string): string => `/covers/${slug}.png`;

/** As sites expect it of a large preview card. */
const [WIDTH, HEIGHT] = [1200, 630];

/**
 * The ends of --topic-fill, and --topic of the light theme, for each data-hue (dashboard.css), in sRGB: the library knows
 * no oklch().
 */
export const COLOURS: readonly [from: string, to: string, ink: string][] = [
  ['#b94642', '#943e00', '#90302e'],
  ['#b45000', '#805000', '#8b3900'],
  ['#996700', '#516500', '#764c00'],
  ['#5e7f00', '#00723b', '#456000'],
  ['#05893e', '#007366', '#00682a'],
  ['#008c6c', '#006e89', '#006b51'],
  ['#00889b', '#0061a5', '#006777'],
  ['#007cbb', '#3b51ae', '#005d92'],
  ['#466cc8', '#6941a1', '#31509d'],
  ['#795bbf', '#873482', '#5c4295'],
  ['#a04c9a', '#9a2a4f', '#7b3577'],
  ['#b4446e', '#9d3013', '#8b2f52'],
];

/**
 * The picture that other sites show where a quiz is shared: its cover in the colour of its topic, and the topic's icon.
 * Without words, which no font has in all scripts: these sites write the title below.
 * @param of what the cover is drawn from
 * @returns a PNG
 */
export async function shareImage(of: string, { hue, icon }: TopicLook): Promise<Buffer> {
  // 20 MB and a tenth of a second, which only a process needs that draws.
  const { default: sharp } = await import('sharp');
  const [from, to, ink] = COLOURS[hue]!;
  const svg = (
    <svg xmlns="http://www.w3.org/2000/svg" width={WIDTH} height={HEIGHT}>
      <linearGradient id="fill" x1="0" y1="0" x2="1" y2="1">
        <stop offset="0" stop-color={from} />
        <stop offset="1" stop-color={to} />
      </linearGradient>
      <rect width={WIDTH} height={HEIGHT} fill="url(#fill)" />
      <svg viewBox={COVER_BOX} preserveAspectRatio="xMidYMid slice" fill="#fff">
        {coverPaths(of).map((path) => (
          <path {...path} />
        ))}
      </svg>
      <rect x="480" y="195" width="240" height="240" rx="56" fill="#fff" />
      <svg
        x="528"
        y="243"
        width="144"
        height="144"
        viewBox="0 0 24 24"
        fill="none"
        stroke={ink}
        stroke-width="2"
        stroke-linecap="round"
        stroke-linejoin="round"
      >
        <path d={iconPath(icon)} />
      </svg>
    </svg>
  );
  // The gradient looks as good with a palette, which takes a third of the bytes.
  return sharp(Buffer.from(renderToString(svg)))
    .png({ palette: true })
    .toBuffer();
}
