// The floor of `waymark scan --dry-run`: a script that reads a JSON file and parses it.
import { readFileSync } from "node:fs";

JSON.parse(readFileSync(process.argv[2], "utf8"));
