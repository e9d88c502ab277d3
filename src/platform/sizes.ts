/** Bytes. */
export const MEBIBYTE = 1_048_576;
