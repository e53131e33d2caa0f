// Writes docs/reports/capacity.md from the figures that `npm run bench -- cost --json bench/capacity/figures.json` has measured.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Measured } from "./cost.ts";
import { capacityPage } from "./page.ts";

const figures = fileURLToPath(new URL("figures.json", import.meta.url));
const page = fileURLToPath(new URL("../../docs/reports/capacity.md", import.meta.url));
writeFileSync(page, capacityPage(JSON.parse(readFileSync(figures, "utf8")) as Measured));
