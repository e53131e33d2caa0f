import { Bytes } from "./bytes.ts";

/**
 * The approximate size of a value as text: the characters of its strings and names, and one for everything else. Repeated parts
 * count each time. Counting stops beyond `max`.
 */
export function valueSize(value: unknown, max: number): number {
  let size = 0;
  const open: object[] = [];
  const add = (part: unknown) => {
    size += typeof part === "string" ? part.length + 1 : 1;
    if (part instanceof Bytes) size += part.content.length;
    else if (typeof part === "object" && part !== null) open.push(part);
  };
  add(value);
  for (let next = open.pop(); next !== undefined && size <= max; next = open.pop()) {
    if (Array.isArray(next)) for (const item of next) add(item);
    else {
      for (const [name, item] of Object.entries(next)) {
        size += name.length;
        add(item);
      }
    }
  }
  return size;
}
