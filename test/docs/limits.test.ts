import { DEFAULT_LIMITS } from "@waymark/journeys/run/limits.ts";
import { API_KEY_LIMITS } from "@waymark/shared/api-keys/schema.ts";
import {
  SESSION_LIFETIME_SECONDS,
  SESSIONS_PER_KEY_MAX,
} from "@waymark/server/api-keys/sessions/sessions.ts";
import { ENVIRONMENT_LIMITS } from "@waymark/shared/environments/limits.ts";
import { JOURNEY_RUN_LIMITS } from "@waymark/shared/journey-runs/limits.ts";
import { JOURNEY_SCHEDULE_LIMITS } from "@waymark/shared/journey-schedules/limits.ts";
import { JOURNEY_LIMITS } from "@waymark/shared/journeys/limits.ts";
import { ERROR_DETAILS_MAX } from "@waymark/shared/lib/error-details.ts";
import { WAIT_LIMITS } from "@waymark/shared/operations/limits.ts";
import { BACKLOG_COUNT_MAX, JOURNEY_COUNT_MAX } from "@waymark/server/observability/queries.ts";
import { SCAN_LIMITS } from "@waymark/shared/scans/limits.ts";
import { expect, it } from "vitest";
import { readPage } from "./support/page.ts";

const MINUTE_MS = 60_000;
const MIB = 1024 * 1024;
const RUNS = "docs/journeys-on-the-server.md";
const CLIENTS = "docs/http-interface.md";
const SESSION_HOURS = SESSION_LIFETIME_SECONDS / 3600;

/** The limits in the pages: the words around the number, and the number in the code. */
const STATED: [page: string, words: RegExp, inCode: number][] = [
  ["docs/api-keys.md", /name is one line of at most ([\d,]+) characters/, API_KEY_LIMITS.nameMax],
  ["docs/api-keys.md", /`allowedNetworks` of a new key, up to ([\d,]+) networks/, API_KEY_LIMITS.networksMax],
  ["docs/api-keys.md", /up to ([\d,]+) `revokedKeyIds`/, API_KEY_LIMITS.revokedKeyIdsMax],
  ["docs/api-keys.md", /revokes up to ([\d,]+) keys, by `apiKeyIds`/, API_KEY_LIMITS.revokedTogetherMax],
  ["docs/api-keys.md", /session of the console, which lasts ([\d,]+) hours/, SESSION_HOURS],
  ["docs/operations.md", /It ends ([\d,]+) hours after the sign-in/, SESSION_HOURS],
  ["docs/operations.md", /and after ([\d,]+) hours; on every api/, SESSION_HOURS],
  ["docs/operations.md", /A key has ([\d,]+) sessions at most/, SESSIONS_PER_KEY_MAX],
  ["docs/operations.md", /Runs of all organizations that wait, up to ([\d,]+)\./, BACKLOG_COUNT_MAX],
  ["docs/operations.md", /a scan beyond ([\d,]+) MiB/, SCAN_LIMITS.bodyBytesMax / MIB],
  ["docs/operations.md", /`MAX_BODY_BYTES` · api · `(\d+)`/, SCAN_LIMITS.bodyBytesMax],
  ["docs/environments.md", /can have ([\d,]+) environments/, ENVIRONMENT_LIMITS.environmentsMax],
  ["docs/environments.md", /can have ([\d,]+) secrets/, ENVIRONMENT_LIMITS.secretsMax],
  ["docs/environments.md", /value has ([\d,]+) characters/, ENVIRONMENT_LIMITS.secretCharactersMin],
  ["docs/environments.md", /characters to ([\d,]+) KiB/, ENVIRONMENT_LIMITS.secretBytesMax / 1024],
  [
    "docs/journeys-on-the-server.md",
    /changeset has up to ([\d,]+) changes/,
    JOURNEY_LIMITS.changesetFilesMax,
  ],
  [
    "docs/journeys-on-the-server.md",
    /organization has up to ([\d,]+) documents/,
    JOURNEY_LIMITS.documentsMax,
  ],
  ["docs/journeys-on-the-server.md", /overlay has up to ([\d,]+) MiB/, JOURNEY_LIMITS.documentBytesMax / MIB],
  [
    "docs/journeys-on-the-server.md",
    /description up to ([\d,]+) MiB/,
    JOURNEY_LIMITS.descriptionBytesMax / MIB,
  ],
  [
    "docs/operations.md",
    /Journeys of all organizations that have not ended, up to ([\d,]+):/,
    JOURNEY_COUNT_MAX,
  ],
  [RUNS, /may take ([\d,]+) minutes and/, JOURNEY_RUN_LIMITS.runMs / MINUTE_MS],
  [RUNS, /minutes and ([\d,]+) requests/, JOURNEY_RUN_LIMITS.requestsMax],
  [RUNS, /its teardown ([\d,]+) s/, JOURNEY_RUN_LIMITS.teardownMs / 1000],
  [RUNS, /waits up to ([\d,]+) s for the next one/, WAIT_LIMITS.secondsMax],
  [CLIENTS, /key can have ([\d,]+) waiting requests/, WAIT_LIMITS.keyMax],
  [CLIENTS, /and an organization ([\d,]+);/, WAIT_LIMITS.organizationMax],
  [RUNS, /process, ([\d,]+) requests of a key/, WAIT_LIMITS.keyMax],
  [RUNS, /of a key and ([\d,]+) of an organization may wait/, WAIT_LIMITS.organizationMax],
  [RUNS, /waits for a worker for ([\d,]+) minutes at most/, JOURNEY_RUN_LIMITS.waitMinutesMax],
  [RUNS, /organization has ([\d,]+) runs at work/, JOURNEY_RUN_LIMITS.runningMax],
  [RUNS, /at work and ([\d,]+) that wait/, JOURNEY_RUN_LIMITS.waitingMax],
  [RUNS, /and starts ([\d,]+) an hour/, JOURNEY_RUN_LIMITS.startedPerHourMax],
  [
    "docs/journeys-on-the-server.md",
    /organization has up to ([\d,]+) schedules/,
    JOURNEY_SCHEDULE_LIMITS.schedulesMax,
  ],
  [
    "docs/journeys-on-the-server.md",
    /no worker reached within ([\d,]+) minutes/,
    JOURNEY_SCHEDULE_LIMITS.lateMinutesMax,
  ],
  [
    "docs/journeys-on-the-server.md",
    /at most ([\d,]+) % of the shortest interval/,
    JOURNEY_SCHEDULE_LIMITS.jitterPercentMax,
  ],
  ["docs/journeys-on-the-server.md", /After ([\d,]+) runs in a row/, JOURNEY_SCHEDULE_LIMITS.failuresMax],
  [
    "docs/journeys-on-the-server.md",
    /Ticks are kept for ([\d,]+) days/,
    JOURNEY_SCHEDULE_LIMITS.ticksKeptDays,
  ],
  ["docs/errors.md", /names up to ([\d,]+) faults/, ERROR_DETAILS_MAX],
  ["SECURITY.md", /end there, after ([\d,]+) hours/, SESSION_HOURS],
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
