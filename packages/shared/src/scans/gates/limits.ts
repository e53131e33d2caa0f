/** The largest verdict of gates: items and Unicode characters. */
export const GATE_LIMITS = {
  gatesMax: 10,
  gateMax: 200,
  causesMax: 20,
  causeMax: 300,
  causeCountMax: 1_000_000,
  /** The body with every text in characters of four bytes. */
  bodyBytesMax: 512 * 1024,
} as const;
