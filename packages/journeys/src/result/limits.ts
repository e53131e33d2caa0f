/** The most exchanges of earlier attempts that a step keeps. */
export const EARLIER_EXCHANGES_MAX = 10;
