// Packs the command into downloads/, from where the api serves it: npm run pack:command
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { root } from "./bootstrap/checkout.mjs";

const folder = path.join(root, "downloads");
mkdirSync(folder, { recursive: true });
const pack = [
  "pack",
  "--silent",
  "--ignore-scripts=false",
  "--workspace",
  "waymark",
  "--pack-destination",
  folder,
];
// On Windows npm is a script, which only a shell runs.
execFileSync("npm", pack, { cwd: root, stdio: "inherit", shell: process.platform === "win32" });
