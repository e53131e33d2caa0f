import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { DocumentVersion } from "@waymark/shared/journeys/schema.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import { createHttpClient, type HttpClient } from "@waymark/test-support/http-client.ts";
import { sendChangeset } from "@waymark/test-support/journeys.ts";
import { announceSeed, createRandom, scaled } from "@waymark/test-support/scale.ts";
import { createHostedOrganization, type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, expect, it } from "vitest";

const ROUNDS = scaled({ short: 12, long: 1_000 });
/** Organizations at a time: each has its own documents, and all use the same server. */
const SIDE_BY_SIDE = 4;

let stack: Stack;
beforeAll(async () => {
  announceSeed();
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

interface Edit {
  /** A line that the edit adds to each of its documents. */
  mark: string;
  paths: string[];
  /** Waits, so that the order differs from round to round. */
  pauseMs: () => number;
}

interface Head {
  text: string;
  version: number;
}

async function readHeads(http: HttpClient, ids: Map<string, string>, paths: string[]): Promise<Head[]> {
  return Promise.all(
    paths.map(async (path) => {
      const { body } = await http.get<{ headVersion: number }>(`/api/journeys/${ids.get(path)}`);
      const { headVersion: version } = body;
      const found = await http.get<{ text: string }>(`/api/journeys/${ids.get(path)}/versions/${version}`);
      return { version, text: found.body.text };
    }),
  );
}

/** Makes an edit as a person does: a conflict is read, merged and sent again. @returns how often it lost */
async function editUntilStored(http: HttpClient, ids: Map<string, string>, edit: Edit): Promise<number> {
  let heads = await readHeads(http, ids, edit.paths);
  for (let lost = 0; ; lost++) {
    await sleep(edit.pauseMs());
    const changes = edit.paths.map((path, n) => ({
      path,
      text: `${heads[n]?.text ?? ""}# ${edit.mark}\n`,
      baseVersion: heads[n]?.version ?? null,
    }));
    const answer = await sendChangeset({ http }, { message: edit.mark, changes });
    if (answer.status === 201) return lost;
    const { status, code, conflicts = [] } = errorOf(answer);
    expect([status, code]).toEqual([409, "version_conflict"]);
    const now = await readHeads(http, ids, edit.paths);
    // Each loser is told what it was made from and what is there: both texts can be read, and differ.
    for (const { path, baseVersion, headVersion, documentId } of conflicts) {
      const n = edit.paths.indexOf(path);
      expect(documentId).toBe(ids.get(path));
      expect(baseVersion).toBe(heads[n]?.version);
      const there = await http.get<{ text: string }>(`/api/journeys/${documentId}/versions/${headVersion}`);
      expect(there.body.text).not.toBe(heads[n]?.text);
      expect(headVersion).toBeGreaterThan(baseVersion ?? 0);
    }
    expect(conflicts.length).toBeGreaterThan(0);
    heads = now;
  }
}

async function playRound(http: HttpClient, random: () => number): Promise<number> {
  const [shared, other] = [`${randomUUID()}.yaml`, `${randomUUID()}.yaml`];
  const first = await sendChangeset(
    { http },
    { changes: [shared, other].map((path) => ({ path, text: "openapi: 3.1.0\n", baseVersion: null })) },
  );
  const ids = new Map(first.body.documents.map(({ path, id }) => [path, id]));
  const pauseMs = () => Math.floor(random() * 30);
  const edits: Edit[] = [
    { mark: "editor one", paths: [shared], pauseMs },
    { mark: "editor two", paths: [shared], pauseMs },
    { mark: "push", paths: [shared, other], pauseMs },
  ];
  const lost = await Promise.all(edits.map((edit) => editUntilStored(http, ids, edit)));

  const [sharedHead, otherHead] = await readHeads(http, ids, [shared, other]);
  const marks = (head: Head | undefined) => (head?.text.match(/# .*/g) ?? []).toSorted();
  expect(marks(sharedHead)).toEqual(["# editor one", "# editor two", "# push"]);
  expect(marks(otherHead)).toEqual(["# push"]);
  const versionsOf = async (path: string) =>
    (await http.get<{ versions: DocumentVersion[] }>(`/api/journeys/${ids.get(path)}/versions`)).body
      .versions;
  const versions = await versionsOf(shared);
  expect(versions.map(({ version, parentVersion }) => [version, parentVersion])).toEqual([
    [4, 3],
    [3, 2],
    [2, 1],
    [1, null],
  ]);
  // The push is one changeset on both documents.
  const pushed = versions.find(({ message }) => message === "push");
  expect((await versionsOf(other))[0]).toMatchObject({ version: 2, changesetId: pushed?.changesetId });
  return lost.reduce((sum, each) => sum + each, 0);
}

it(
  `loses nothing in ${ROUNDS} interleavings of two editors and a push, and tells each loser`,
  async () => {
    const players = await Promise.all(
      Array.from({ length: SIDE_BY_SIDE }, async (_, n) => {
        const { apiKey } = await createHostedOrganization(stack.databaseUrl, `Editors ${n}`);
        return createHttpClient(stack.api.baseUrl, { key: apiKey });
      }),
    );
    let rounds = 0;
    let lost = 0;
    await Promise.all(
      players.map(async (http, n) => {
        const source = createRandom(`editors ${n}`);
        while (rounds++ < ROUNDS) lost += await playRound(http, () => source.next());
      }),
    );
    // Where nobody loses, nothing was tested.
    expect(lost).toBeGreaterThan(ROUNDS / 2);
  },
  // A round takes three seconds, and several times as long where other processes use the processors.
  ROUNDS * 15_000,
);
