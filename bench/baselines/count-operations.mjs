// Counts the operations of every JSON description below a folder by OpenAPI's text alone, with nothing of Waymark:
// node count-operations.mjs FOLDER. Prints, by file, the number and a hash of the sorted operations.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

const folder = process.argv[2];
const counted = {};
for (const name of readdirSync(folder, { recursive: true })) {
  if (!name.endsWith(".json")) continue;
  counted[name] = countIn(JSON.parse(readFileSync(path.join(folder, name), "utf8")));
}
process.stdout.write(JSON.stringify(counted));

function countIn(document) {
  const operations = [];
  for (const template in document.paths) {
    if (template.indexOf("x-") === 0) continue;
    const item = itemOf(document, document.paths[template]);
    for (const method of METHODS) if (method in item) operations.push(`${method.toUpperCase()} ${template}`);
  }
  const hash = createHash("sha256").update(operations.toSorted().join("\n")).digest("hex");
  return { count: operations.length, hash };
}

/** A path item, also where another one is referred to. */
function itemOf(document, item) {
  if (typeof item.$ref !== "string") return item;
  let target = document;
  for (const part of item.$ref.replace("#/", "").split("/")) {
    target = target[decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~")];
  }
  return { ...target, ...item };
}
