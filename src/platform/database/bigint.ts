/** For a column of type bigint, which the driver returns as text. Its values stay below 2⁵³. */
export const AS_NUMBER = { from: Number, to: (value: number) => value };
