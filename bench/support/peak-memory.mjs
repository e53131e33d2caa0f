// Loaded into a process before its own code: writes its peak memory (KiB, resident) to a file.
import { writeFileSync } from "node:fs";

const file = process.env.PEAK_MEMORY_FILE;
process.once("exit", () => writeFileSync(file, String(process.resourceUsage().maxRSS)));
