import { DEFAULT_LIMITS } from "@waymark/journeys/run/limits.ts";
import { API_KEY_LIMITS } from "@waymark/shared/api-keys/schema.ts";
import {
  SESSION_LIFETIME_SECONDS,
  SESSIONS_PER_KEY_MAX,
} from "@waymark/shared/api-keys/sessions/sessions.ts";
import { ERROR_DETAILS_MAX } from "@waymark/shared/lib/error-details.ts";
import { BACKLOG_COUNT_MAX } from "@waymark/shared/observability/queries.ts";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import { expect, it } from "vitest";
import { readPage } from "./support/page.ts";

const MINUTE_MS = 60_000;
const MIB = 1024 * 1024;
const SESSION_HOURS = SESSION_LIFETIME_SECONDS / 3600;

/** Where a page gives a limit: the words around the number, and the number that the code has. */
const STATED: [page: string, words: RegExp, inCode: number][] = [
  ["docs/api-keys.md", /name is one line of at most ([\d,]+) characters/, API_KEY_LIMITS.nameMax],
  ["docs/api-keys.md", /`allowedNetworks` of a new key, up to ([\d,]+) networks/, API_KEY_LIMITS.networksMax],
  ["docs/api-keys.md", /up to ([\d,]+) `revokedKeyIds`/, API_KEY_LIMITS.revokedKeyIdsMax],
  ["docs/api-keys.md", /session of the console, which lasts ([\d,]+) hours/, SESSION_HOURS],
  ["docs/operations.md", /It ends ([\d,]+) hours after the sign-in/, SESSION_HOURS],
  ["docs/operations.md", /and after ([\d,]+) hours; on every api/, SESSION_HOURS],
  ["docs/operations.md", /A key has ([\d,]+) sessions at most/, SESSIONS_PER_KEY_MAX],
  ["docs/operations.md", /Runs of all organizations that wait, up to ([\d,]+)\./, BACKLOG_COUNT_MAX],
  ["docs/operations.md", /a scan beyond ([\d,]+) MiB/, SCAN_LIMITS.bodyBytesMax / MIB],
  ["docs/operations.md", /`MAX_BODY_BYTES` · api · `(\d+)`/, SCAN_LIMITS.bodyBytesMax],
  ["docs/errors.md", /names up to ([\d,]+) faults/, ERROR_DETAILS_MAX],
  ["SECURITY.md", /ends there, after ([\d,]+) hours/, SESSION_HOURS],
  ["docs/journeys.md", /Limits hold for every run: ([\d,]+) steps/, DEFAULT_LIMITS.steps],
  ["docs/journeys.md", /every run: .* steps, ([\d,]+) requests/, DEFAULT_LIMITS.requests],
  ["docs/journeys.md", /every run: .* ([\d,]+) retries of a step/, DEFAULT_LIMITS.retriesPerStep],
  ["docs/journeys.md", /every run: .* ([\d,]+) minutes/, DEFAULT_LIMITS.runMs / MINUTE_MS],
  ["docs/journeys.md", /every run: .* ([\d,]+) MiB of a response/, DEFAULT_LIMITS.responseBytes / MIB],
  ["docs/journeys.md", /every run: .* ([\d,]+) redirects/, DEFAULT_LIMITS.redirects],
  ["cli/src/commands/journey/run.ts", /run may take \(default (\d+)\)/, DEFAULT_LIMITS.runMs / 1000],
];

it.each(STATED)("%s gives the limit that the code has: %s", (page, words, inCode) => {
  const stated = words.exec(readPage(page).replaceAll(/\s*\n\s*/g, " "))?.[1];
  expect(stated, `${page} no longer says ${words}: bring this test and the page together`).toBeDefined();
  expect(Number(stated?.replaceAll(",", "")), `${page} and the code differ`).toBe(inCode);
});
