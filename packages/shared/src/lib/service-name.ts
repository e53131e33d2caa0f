import { INVISIBLE_CHARACTER } from "./invisible.ts";

/** Printable ASCII without spaces at its ends, which needs no closer look. */
const PLAIN = /^[!-~](?:[ -~]*[!-~])?$/;
const INVISIBLE = new RegExp(INVISIBLE_CHARACTER, "u");
/** White space that looks like a space and is none. */
const OTHER_SPACE = /(?! )\p{Zs}/u;

/** Returns the name without white space at its ends and in Unicode's composed form (NFC), in which services are stored. */
export function tidyServiceName(name: string): string {
  return name.trim().normalize("NFC");
}

/**
 * Returns why a text can't be the name of a service, or undefined. Two names that look equal must be equal: a scan under
 * the other name would be compared with nothing. Its length is checked elsewhere.
 */
export function serviceNameProblem(name: string): string | undefined {
  if (PLAIN.test(name) || name === "") return undefined;
  if (name.trim() !== name) return "must not begin or end with white space";
  const found = INVISIBLE.exec(name) ?? OTHER_SPACE.exec(name);
  if (found !== null) {
    const [character] = found;
    const place = Array.from(name.slice(0, found.index)).length + 1;
    const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
    const kind = OTHER_SPACE.test(character)
      ? "white space other than a space"
      : "control or invisible characters";
    return `must not contain ${kind}: it has U+${code} as character ${place}`;
  }
  return name.normalize("NFC") === name ? undefined : "must be in Unicode's composed form (NFC)";
}
