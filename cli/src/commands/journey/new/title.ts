import path from "node:path";

/** A title derived from a file's name. */
export function titleOf(file: string): string {
  const name = path.basename(file).replace(/(?:\.journey|\.arazzo|\.overlay)?\.(?:ya?ml|json)$/i, "");
  const words = name.replaceAll(/[-_.]+/g, " ").trim();
  return words === "" ? "New journey" : words.charAt(0).toUpperCase() + words.slice(1);
}
