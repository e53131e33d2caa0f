// Redocly's runner of Arazzo in one process, called as its command calls it; its linting and its output are left out.
import path from "node:path";
import { pathToFileURL } from "node:url";
import { serveCalls } from "../support/calls.ts";
import { measureRuns } from "../support/journey-runs.ts";

interface Respect {
  run: (options: Record<string, unknown>) => Promise<{ hasProblems: boolean; totalRequests: number }[]>;
}
interface Core {
  createConfig: (config: unknown) => Promise<unknown>;
}

const folder = process.env["PEER"] ?? "";
const load = (entry: string): Promise<unknown> => import(pathToFileURL(entry).href);
const { run } = (await load(path.join(folder, "lib/index.js"))) as Respect;
const { createConfig } = (await load(path.join(folder, "../openapi-core/lib/index.js"))) as Core;
const config = await createConfig({});
const nothing = () => {};
const logger = {
  info: nothing,
  output: nothing,
  warn: nothing,
  error: nothing,
  printNewLine: nothing,
  printSeparator: nothing,
  indent: (text: string) => text,
};

serveCalls({
  ready: () => 0,
  run: ({ file, url, count }: { file: string; url: string; count: number }) =>
    measureRuns(count, async () => {
      const [result] = await run({
        files: [file],
        server: [`things=${url}`],
        config,
        maxSteps: 2000,
        maxFetchTimeout: 40_000,
        requestFileLoader: { getFileBody: () => Promise.reject(new Error("there is no file")) },
        logger,
        fetch,
        skipLint: true,
      });
      if (result === undefined || result.hasProblems || result.totalRequests !== 5)
        throw new Error("respect failed");
    }),
});
