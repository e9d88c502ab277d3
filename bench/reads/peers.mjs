/** By the rows that they are in: see bench/peers/README.md. */
export const PEERS = {};
