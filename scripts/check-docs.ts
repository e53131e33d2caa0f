// Part of `npm run check`: the form of the Markdown pages, and the order of the decisions.
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "./bootstrap/checkout.mjs";
import { decisionFaults, pageFaults } from "./docs/page-faults.ts";

const pages = globSync("**/*.md", {
  cwd: root,
  exclude: (name) => ["node_modules", "dist", ".waymark"].includes(path.basename(name)),
}).map((file) => ({ file: file.replaceAll("\\", "/"), text: readFileSync(path.join(root, file), "utf8") }));

const decisions = pages
  .filter(({ file }) => file.startsWith("docs/adr/"))
  .map(({ file, text }) => ({ name: path.basename(file), text }));
const faults = [
  ...pages.flatMap(({ file, text }) => pageFaults(text, { file, root })),
  ...decisionFaults(decisions),
];
for (const fault of faults) console.error(fault);
if (pages.length === 0) console.error("No page was found.");
process.exitCode = faults.length === 0 && pages.length > 0 ? 0 : 1;
