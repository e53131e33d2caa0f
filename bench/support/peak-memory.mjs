// Loaded into a process before its own code: leaves the most memory that it had (KiB, resident) in a file.
import { writeFileSync } from "node:fs";

const file = process.env.PEAK_MEMORY_FILE;
process.once("exit", () => writeFileSync(file, String(process.resourceUsage().maxRSS)));
