import { runProcess } from "@waymark/server/lib/run-process.ts";
import { startApi } from "./app/start-api.ts";
import { loadConfig } from "./config.ts";

await runProcess("api", () => startApi(loadConfig()));
