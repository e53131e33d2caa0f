// Redocly's runner of Arazzo in one process, called as its command calls it; its linting and its output are left out.
import { serveCalls } from "../support/calls.ts";
import { measureRuns } from "../support/journey-runs.ts";
import { loadRespect } from "../support/respect-core.ts";

type RunRespect = (
  options: Record<string, unknown>,
) => Promise<{ hasProblems: boolean; totalRequests: number }[]>;

const { run: loaded, config, logger } = await loadRespect(process.env["PEER"] ?? "");
const run = loaded as RunRespect;

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
