/** A part of the valid journey, what replaces it, and the expected problems. */
export type Fault = [name: string, from: string, to: string, expected: string[]];
