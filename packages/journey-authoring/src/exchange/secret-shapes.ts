/** Credentials with a known format, in any place. */
export const SHAPES =
  /(?<![\w-])eyJ[\w-]{8,2000}\.[\w-]{4,4000}\.[\w-]{4,2000}|\b[spr]k_(?:live|test)_\w{8,200}|\bgh[pousr]_\w{20,200}|\bgithub_pat_\w{20,200}|(?<![\w-])glpat-[\w-]{10,200}|(?<![\w-])xox[abeprs]-[\w-]{8,200}|\bAKIA[0-9A-Z]{12,40}|\bAIza[\w-]{30,60}|\bnpm_\w{20,200}|\bwmk_[A-Za-z0-9]+_[A-Za-z0-9]{20,200}|-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]{0,5000}/g;

/** Whether a value has the format of a credential. */
export function looksSecret(value: string): boolean {
  SHAPES.lastIndex = 0;
  return SHAPES.test(value);
}

/** A text for people, without anything that looks like a credential. */
export function masked(text: string): string {
  return text.slice(0, 10_000).replaceAll(SHAPES, "[removed]");
}
