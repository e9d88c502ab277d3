import { createHash } from 'node:crypto';

/** The grid of a cover: 8 × 3 cells of 40. */
const [COLUMNS, ROWS, CELL] = [8, 3, 40];

/** The families of shapes: each draws one in the cell whose corner is at x, y; `size` is from 0 to 1. */
const SHAPES: ((x: number, y: number, size: number) => string)[] = [
  // Quarters of circles
  (x, y) => `M${x} ${y + CELL}a40 40 0 0 1 40-40v40z`,
  // Tiles, every second one round
  (x, y, size) =>
    size < 0.5 ? `M${x} ${y}h40v40h-40z` : `M${x} ${y + 20}a20 20 0 1 1 40 0 20 20 0 1 1-40 0`,
  // Triangles
  (x, y) => `M${x} ${y}l40 40h-40z`,
  // Bubbles
  (x, y, size) => {
    const r = Math.round(10 + 20 * size);
    return `M${x + 20 - r} ${y + 20}a${r} ${r} 0 1 1 ${2 * r} 0 ${r} ${r} 0 1 1-${2 * r} 0`;
  },
];

/** Shapes of the same opacity are one path. */
const OPACITIES = [0.12, 0.2, 0.28];

/**
 * A pattern for a quiz, above the colour of its topic: always the same one, and hardly ever that of another quiz. It is
 * drawn from a text that does not change, so that nothing has to be uploaded or stored.
 */
export function coverPaths(of: string): { d: string; opacity: number }[] {
  const bytes = createHash('sha256').update(of).digest();
  const shape = SHAPES[bytes[0]! % SHAPES.length]!;
  const paths = OPACITIES.map(() => '');
  for (const byte of bytes.subarray(1, 15)) {
    const cell = byte % (COLUMNS * ROWS);
    const [x, y] = [(cell % COLUMNS) * CELL, Math.floor(cell / COLUMNS) * CELL];
    paths[byte % OPACITIES.length] += shape(x, y, byte / 255);
  }
  return paths.flatMap((d, index) => (d ? [{ d, opacity: OPACITIES[index]! }] : []));
}

export const COVER_BOX = `0 0 ${COLUMNS * CELL} ${ROWS * CELL}`;

export function Cover({ of }: { of: string }) {
  return (
    <svg
      class="cover"
      viewBox={COVER_BOX}
      preserveAspectRatio="xMidYMid slice"
      fill="#fff"
      aria-hidden="true"
    >
      {coverPaths(of).map((path) => (
        <path {...path} />
      ))}
    </svg>
  );
}
