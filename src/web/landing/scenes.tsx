import { coverPaths } from '../components/cover';

export type SceneName = 'play' | 'teach' | 'build';

/** A bar that stands for text. */
type Bar = [x: number, y: number, width: number, look: string, height?: number];

const Bars = ({ of }: { of: readonly Bar[] }) => (
  <>
    {of.map(([x, y, width, look, height = 8]) => (
      <rect class={look} x={x} y={y} width={width} height={height} rx={Math.min(height / 2, 8)} />
    ))}
  </>
);

/** A question with its four answers, of which one is chosen and correct. */
const Playing = () => (
  <>
    <rect class="paper" x="72" y="26" width="176" height="190" rx="14" />
    <Bars
      of={[
        [90, 44, 112, 'ink', 10],
        [90, 60, 72, 'ink', 10],
        [90, 84, 140, 'edge', 22],
        [90, 112, 140, 'edge good', 22],
        [90, 140, 140, 'edge', 22],
        [90, 168, 140, 'edge', 22],
        [116, 91, 58, 'line'],
        [116, 119, 76, 'right'],
        [116, 147, 44, 'line'],
        [116, 175, 66, 'line'],
      ]}
    />
    <path class="tick" d="m98 123 4 4 7-8" />
  </>
);

/** Results: what to look at first, how the scores are distributed, and the hardest questions. */
const Teaching = () => (
  <>
    <rect class="paper" x="44" y="26" width="232" height="190" rx="14" />
    <Bars
      of={[
        [56, 38, 208, 'busy', 26],
        [68, 47, 104, 'warning'],
        [216, 44, 38, 'brand', 14],
        ...[10, 16, 26, 40, 54, 46, 30, 18].map((height, at): Bar => [
          62 + 25 * at,
          136 - height,
          20,
          'brand soft',
          height,
        ]),
        [62, 152, 70, 'ink'],
        [160, 152, 96, 'line'],
        [160, 152, 28, 'wrong'],
        [62, 174, 84, 'ink'],
        [160, 174, 96, 'line'],
        [160, 174, 72, 'brand'],
      ]}
    />
  </>
);

/** A request and its response. */
const Building = () => (
  <>
    <rect class="paper" x="44" y="26" width="232" height="190" rx="14" />
    <Bars
      of={[
        [60, 44, 34, 'brand', 14],
        [102, 47, 108, 'line'],
        [60, 76, 12, 'ink'],
        [76, 94, 48, 'brand'],
        [132, 94, 70, 'right'],
        [76, 112, 62, 'brand'],
        [146, 112, 34, 'right'],
        [76, 130, 40, 'brand'],
        [124, 130, 12, 'ink'],
        [92, 148, 56, 'brand'],
        [156, 148, 84, 'right'],
        [92, 166, 44, 'brand'],
        [144, 166, 52, 'right'],
        [60, 186, 12, 'ink'],
      ]}
    />
  </>
);

const SCENES = {
  play: [9, Playing],
  teach: [1, Teaching],
  build: [7, Building],
} as const;

/** A picture without words, in the colours of the theme: it says the same in every language. */
export function Scene({ of }: { of: SceneName }) {
  const [hue, Drawn] = SCENES[of];
  return (
    <svg
      class="scene"
      data-hue={hue}
      viewBox="0 0 320 200"
      preserveAspectRatio="xMidYMin slice"
      aria-hidden="true"
    >
      <g class="pattern" transform="scale(1.67)">
        {coverPaths(of).map((path) => (
          <path {...path} />
        ))}
      </g>
      <Drawn />
    </svg>
  );
}
