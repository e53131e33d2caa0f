/** Returns the name of a referred file relative to the entry file, such as `schemas/pet.yaml`. */
export function resolveFile(from: string, target: string): string {
  if (/^[a-z][a-z\d+.-]*:/i.test(target)) return target;
  const folders = from.split("/").slice(0, -1);
  for (const part of decoded(target).split("/")) {
    if (part === "" || part === ".") continue;
    if (part === ".." && folders.length > 0 && folders.at(-1) !== "..") folders.pop();
    else folders.push(part);
  }
  return folders.join("/");
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
