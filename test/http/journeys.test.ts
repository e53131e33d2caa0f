import { randomUUID } from "node:crypto";
import type { DocumentVersion, JourneyDocument } from "@waymark/shared/journeys/schema.ts";
import { errorOf } from "@waymark/test-support/api-keys.ts";
import {
  journeyText,
  newJourneyPath as newPath,
  overlayText,
  readDocument,
  sendChangeset,
  storeDocument,
} from "@waymark/test-support/journeys.ts";
import { type Stack, startStack } from "@waymark/test-support/stack.ts";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

let stack: Stack;
beforeAll(async () => {
  stack = await startStack();
});
afterAll(() => stack[Symbol.asyncDispose]());

const read = (id: string) => readDocument(stack, id);
const textOf = async (id: string, version: number) =>
  (await stack.http.get<DocumentVersion & { text: string }>(`/api/journeys/${id}/versions/${version}`)).body
    .text;

describe("a changeset", () => {
  it("stores documents with versions, and says what is wrong with them", async () => {
    const [base, overlay, draft] = [newPath(), newPath("overlay"), newPath()];
    const answer = await sendChangeset(stack, {
      message: "The first ones",
      source: { commit: "abc", branch: "main", url: "https://git.example/c/abc" },
      changes: [
        { path: base, text: journeyText("Base"), baseVersion: null },
        { path: overlay, text: overlayText("faster", base.slice(2)), baseVersion: null },
        { path: draft, text: "arazzo: 1.1.0\ninfo: {", baseVersion: null },
      ],
    });
    expect(answer.status).toBe(201);
    const [first, second, third] = answer.body.documents;
    expect(first).toMatchObject({ path: base, kind: "journey", version: 1, unchanged: false, errorCount: 0 });
    expect(first?.programId).toMatch(/^sha256:/);
    expect(second).toMatchObject({ kind: "overlay", errorCount: 0, problems: [] });
    expect(second?.programId).not.toBe(first?.programId);
    expect(third?.errorCount).toBeGreaterThan(0);
    expect(third?.problems[0]).toMatchObject({ severity: "error", file: draft, line: 2 });

    expect(await read(second?.id ?? "")).toMatchObject({
      title: "faster",
      base: { id: first?.id, path: base },
      drift: { extendsVersion: "^1.0.0", baseVersion: "1.0.0", moved: false },
      links: [{ role: "extends", path: base, documentId: first?.id }],
    });
    expect(await read(first?.id ?? "")).toMatchObject({
      tags: ["smoke"],
      usedBy: [{ id: second?.id, path: overlay, role: "extends" }],
    });
    const versions = await stack.http.get<{ versions: DocumentVersion[] }>(
      `/api/journeys/${third?.id}/versions`,
    );
    expect(versions.body.versions).toMatchObject([
      {
        version: 1,
        message: "The first ones",
        origin: "api",
        changesetId: answer.body.changesetId,
        source: { commit: "abc", branch: "main", url: "https://git.example/c/abc" },
      },
    ]);
  });

  it.each([
    ["line ends and tabs", "arazzo: 1.1.0\r\n\tx\r\n\r\n"],
    ["a byte order mark", "\uFEFFarazzo: 1.1.0\n"],
    ["characters beyond the first plane, and no line end", "# 𝕬 é ￿"],
    ["nothing", ""],
  ])("keeps %s byte for byte", async (_name, text) => {
    const { id } = await storeDocument(stack, { path: newPath(), text });
    expect(await textOf(id, 1)).toBe(text);
  });

  it("is applied as a whole or not at all, and names every document that has moved on", async () => {
    const [one, two, three] = [newPath(), newPath(), newPath()];
    const stored = await storeDocument(stack, { path: one, text: journeyText("One") });
    await storeDocument(stack, { path: one, text: journeyText("Two"), baseVersion: 1 });
    const answer = await sendChangeset(stack, {
      changes: [
        { path: one, text: journeyText("Mine"), baseVersion: 1 },
        { path: two, text: journeyText("New"), baseVersion: null },
        { path: three, text: journeyText("Gone"), baseVersion: 4 },
      ],
    });
    expect(errorOf(answer)).toMatchObject({
      status: 409,
      code: "version_conflict",
      conflicts: [
        { path: one, baseVersion: 1, headVersion: 2, documentId: stored.id },
        { path: three, baseVersion: 4, headVersion: null, documentId: null },
      ],
    });
    expect(
      (await stack.http.get<{ journeys: unknown[] }>(`/api/journeys?path=${two}`)).body.journeys,
    ).toEqual([]);
    expect((await read(stored.id)).headVersion).toBe(2);
  });

  it("makes no version of the text that is stored already, whatever it was made from", async () => {
    const path = newPath();
    const text = journeyText("Same");
    await storeDocument(stack, { path, text });
    expect(await storeDocument(stack, { path, text })).toMatchObject({ version: 1, unchanged: true });
    expect(await storeDocument(stack, { path, text, baseVersion: 7 })).toMatchObject({ unchanged: true });
  });

  it("says before it is stored which variants it changes, and stores nothing in a dry run", async () => {
    const [path, overlay] = [newPath(), newPath("overlay")];
    const { id } = await storeDocument(stack, { path, text: journeyText("Base") });
    const variant = await storeDocument(stack, { path: overlay, text: overlayText("v", path.slice(2)) });
    const renamed = journeyText("Base").replaceAll("ping", "pong");
    const answer = await sendChangeset(stack, {
      dryRun: true,
      changes: [{ path, text: renamed, baseVersion: 1 }],
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({
      changesetId: null,
      documents: [{ version: 2, errorCount: 0 }],
      affected: [
        {
          id: variant.id,
          path: overlay,
          before: { errorCount: 0, programId: variant.programId },
          after: { programId: null },
        },
      ],
      uncheckedCount: 0,
    });
    expect(answer.body.affected[0]?.after.errorCount).toBeGreaterThan(0);
    expect((await read(id)).headVersion).toBe(1);
  });

  it("compares the client's program with the server's", async () => {
    const text = journeyText("Parity");
    const { programId } = await storeDocument(stack, { path: newPath(), text });
    const send = async (id: string) => {
      const changes = [{ path: newPath(), text, baseVersion: null, programId: id }];
      return (await sendChangeset(stack, { changes })).body.documents[0]?.programMatches;
    };
    expect([await send(programId ?? ""), await send("sha256:0")]).toEqual([true, false]);
  });

  it("repeats its first response for the same Idempotency-Key, and refuses the key for another one", async () => {
    const headers = { "idempotency-key": randomUUID() };
    const changes = [{ path: newPath(), text: journeyText("Once"), baseVersion: null }];
    const first = await sendChangeset(stack, { changes }, { headers });
    const again = await sendChangeset(stack, { changes }, { headers });
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(again.body).toEqual(first.body);
    const other = await sendChangeset(stack, { message: "x", changes }, { headers });
    expect(errorOf(other)).toMatchObject({ status: 422, code: "idempotency_key_reused" });
  });

  it("lets a repository own documents: others change them only with unlock", async () => {
    const path = newPath();
    const managedBy = { repository: "https://git.example/shop" };
    const change = (text: string, baseVersion: number | null) => [{ path, text, baseVersion }];
    await sendChangeset(stack, { managedBy, changes: change(journeyText("A"), null) });
    const refused = await sendChangeset(stack, { changes: change(journeyText("B"), 1) });
    expect(errorOf(refused)).toMatchObject({ status: 409, code: "document_managed" });
    const unlocked = await sendChangeset(stack, { unlock: true, changes: change(journeyText("B"), 1) });
    expect(unlocked.status).toBe(201);
    const pushed = await sendChangeset(stack, { managedBy, changes: change(journeyText("C"), 2) });
    const [document] = pushed.body.documents;
    expect((await read(document?.id ?? "")).managedBy).toEqual({ ...managedBy, path });
    const adopted = newPath();
    const { id } = await storeDocument(stack, { path: adopted, text: journeyText("A") });
    await sendChangeset(stack, {
      managedBy,
      changes: [{ path: adopted, text: journeyText("A"), baseVersion: 1 }],
    });
    expect((await read(id)).managedBy).toEqual({ ...managedBy, path: adopted });
  });
});

describe("archiving and restoring", () => {
  it("frees the path, keeps the versions, and brings back an old text as a new version", async () => {
    const path = newPath();
    const { id } = await storeDocument(stack, { path, text: journeyText("One") });
    await storeDocument(stack, { path, text: journeyText("Two"), baseVersion: 1 });
    const archived = await stack.http.request<JourneyDocument>("DELETE", `/api/journeys/${id}`);
    expect(archived).toMatchObject({ status: 200, body: { archivedAt: expect.any(String) } });
    expect((await stack.http.request("DELETE", `/api/journeys/${id}`)).status).toBe(200);
    expect((await stack.http.get(`/api/journeys?path=${path}`)).body).toEqual({ journeys: [] });
    expect(await textOf(id, 1)).toBe(journeyText("One"));
    const restored = await stack.http.post<JourneyDocument>(`/api/journeys/${id}/restore`, {
      version: 1,
      baseVersion: 2,
    });
    expect(restored).toMatchObject({ status: 200, body: { id, headVersion: 3, archivedAt: null } });
    expect(await textOf(id, 3)).toBe(journeyText("One"));
    const stale = await stack.http.post(`/api/journeys/${id}/restore`, { version: 2, baseVersion: 2 });
    expect(errorOf(stale)).toMatchObject({ status: 409, code: "version_conflict" });
  });

  it("is refused while another document refers to it, unless that goes in the same changeset", async () => {
    const [path, overlay] = [newPath(), newPath("overlay")];
    const base = await storeDocument(stack, { path, text: journeyText("Base") });
    await storeDocument(stack, { path: overlay, text: overlayText("v", path.slice(2)) });
    const refused = errorOf(await stack.http.request("DELETE", `/api/journeys/${base.id}`));
    expect(refused).toMatchObject({ status: 409, code: "document_in_use" });
    expect(refused.message).toContain(overlay);
    const both = await sendChangeset(stack, {
      changes: [path, overlay].map((each) => ({ path: each, text: null, baseVersion: 1 })),
    });
    expect(both.body.documents).toMatchObject([{ archived: true }, { archived: true }]);
  });

  it("gives a new document the path of an archived one", async () => {
    const path = newPath();
    const first = await storeDocument(stack, { path, text: journeyText("First") });
    await stack.http.request("DELETE", `/api/journeys/${first.id}?baseVersion=1`);
    const second = await storeDocument(stack, { path, text: journeyText("Second") });
    expect(second).toMatchObject({ version: 1 });
    expect(second.id).not.toBe(first.id);
    const restored = await stack.http.post(`/api/journeys/${first.id}/restore`, {
      version: 1,
      baseVersion: 1,
    });
    expect(errorOf(restored)).toMatchObject({ status: 409, code: "document_in_use" });
    const listed = await stack.http.get<{ journeys: JourneyDocument[] }>(
      `/api/journeys?path=${path}&archived=true`,
    );
    expect(listed.body.journeys.map(({ id }) => id)).toEqual([first.id]);
  });
});
