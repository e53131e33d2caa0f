/** Values or nodes that a query may visit: about half a second. */
export const VISITS_MAX = 1_000_000;
