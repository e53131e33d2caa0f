import { type Answer, answerJson, RUN_ID, startFakeServer } from "../../src/test-support/fake-server.ts";
import { folderWith, type MakeHostile } from "./files.ts";
import { refusal } from "./refusal.ts";

/** A schedule of which every text is hostile. */
function schedule(text: string) {
  return {
    id: RUN_ID,
    name: text,
    journeyId: RUN_ID,
    journeyPath: text,
    version: 1,
    environmentId: RUN_ID,
    environmentName: text,
    cron: text,
    timeZone: text,
    overlap: "skip",
    catchUp: "none",
    jitterSeconds: 0,
    enabled: false,
    pausedReason: text,
    failuresInRow: 1,
    nextTimes: [text],
    lastTick: { dueAt: text, outcome: text, runId: null, reason: text },
  };
}

/** A server with one schedule, found by whatever name is asked for, and every journey and environment. */
function hostileServer(text: string): Answer {
  return ({ method, url }, response) => {
    const query = new URL(url, "http://localhost").searchParams;
    if (method === "DELETE") response.writeHead(204).end();
    else if (method !== "GET") answerJson(response, method === "POST" ? 201 : 200, schedule(text));
    else if (url.startsWith("/api/journeys"))
      answerJson(response, 200, { journeys: [{ id: RUN_ID, path: query.get("path") }] });
    else if (url.startsWith("/api/environments")) answerJson(response, 200, { environments: [] });
    else answerJson(response, 200, { schedules: [{ ...schedule(text), name: query.get("name") ?? text }] });
  };
}

const empty = (): Answer => (_request, response) =>
  answerJson(response, 200, { schedules: [], journeys: [] });

function line(
  args: (text: string) => string[],
  answer: (text: string) => Answer = hostileServer,
): MakeHostile {
  return async (text) => {
    const server = await startFakeServer(answer(text));
    const { path: cwd } = await folderWith({});
    return {
      args: ["journey", "schedule", ...args(text), "--api-key", "k", "--api-url", server.url],
      cwd,
    };
  };
}

const named = (command: string): Readonly<Record<string, MakeHostile>> => ({
  "the name of a schedule": line((text) => [command, text]),
  "a schedule that there is not": line((text) => [command, text], empty),
  "a refusal of the server": line((text) => [command, text], refusal),
});

/** The cases of the commands for schedules of journeys. */
export const HOSTILE_SCHEDULES: Readonly<Record<string, Readonly<Record<string, MakeHostile>>>> = {
  "journey schedule list": {
    "every text of a schedule": line(() => ["list"]),
    "a refusal of the server": line(() => ["list"], refusal),
  },
  "journey schedule set": {
    "settings of a known schedule": line((text) => ["set", text, "--cron", text, "--time-zone", text]),
    "a journey": line((text) => ["set", text, "--journey", text, "--rename", text]),
    "an environment that there is not": line((text) => ["set", text, "--env", text]),
    "a new schedule that lacks options": line((text) => ["set", text], empty),
    "a journey that there is not": line(
      (text) => ["set", text, "--journey", text, "--env", RUN_ID, "--cron", text],
      empty,
    ),
    "options that are wrong": line((text) => ["set", "s", "--pin", text]),
    "a refusal of the server": line((text) => ["set", text], refusal),
  },
  "journey schedule pause": named("pause"),
  "journey schedule resume": named("resume"),
  "journey schedule remove": named("remove"),
};
