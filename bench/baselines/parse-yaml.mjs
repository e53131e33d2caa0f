// The floor of `waymark scan --dry-run` on YAML: a script that reads a file and parses it with the same parser.
import { readFileSync } from "node:fs";
import { parse } from "yaml";

parse(readFileSync(process.argv[2], "utf8"));
