// A check of `npm run check`: refuses paths of the API outside the contract, because they go on being called when a route changes.
// Usage: node api-paths.ts [FOLDER], by default the checkout.
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./bootstrap/checkout.mjs";

/** A path of the API in a text, such as "/api/services" or `${address}/api/services/${id}`. */
const API_PATH = /["'`}]\/api\/[a-z:$]/;

const folder = process.argv[2] ?? root;
const files = globSync("{cli,web,services/*,packages/*}/src/**/*.{ts,tsx}", {
  cwd: folder,
  exclude: (name) => /(^|[\\/])(node_modules|dist|test-support)$/.test(name),
}).filter(
  (file) =>
    !/([.]test[.]tsx?|[\\/]addresses[.]ts|shared[\\/]src[\\/]operations[\\/]operation[.]ts)$/.test(file),
);
const faults = files.flatMap(faultsOf);
for (const fault of faults) console.error(fault);
if (faults.length > 0) {
  console.error(
    `\n${faults.length} paths of the API. Only addresses.ts has them: an operation includes its address, and a request is derived from it with requestOf or pathOf of packages/shared/src/operations/request.ts.`,
  );
  process.exitCode = 1;
}

function faultsOf(file: string): string[] {
  const lines = readFileSync(path.join(folder, file), "utf8").split("\n");
  return lines.flatMap((line, index) => {
    const isComment = /^\s*(\/\/|\/?\*)/.test(line);
    return !isComment && API_PATH.test(line) ? [`${file}:${index + 1}: ${line.trim()}`] : [];
  });
}
