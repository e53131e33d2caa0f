import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { beginCall, forgetBegunCalls, takeBegunCall } from "./begun-calls.ts";

const PATH = "/api/scan-runs/1";
const respond = vi.fn<() => Promise<Response>>();
beforeEach(() => {
  vi.stubGlobal("fetch", respond);
  respond.mockImplementation(async () => Response.json({ ok: true }));
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
  respond.mockReset();
  forgetBegunCalls();
});

test("a response is taken once", async () => {
  void beginCall(PATH);
  expect((await takeBegunCall(PATH))?.status).toBe(200);
  expect(await takeBegunCall(PATH)).toBeUndefined();
  expect(respond).toHaveBeenCalledTimes(1);
});

test("a call that was refused as too early isn't taken", async () => {
  respond.mockImplementation(async () => Response.json({}, { status: 400 }));
  void beginCall(PATH);
  expect(await takeBegunCall(PATH)).toBeUndefined();
});

test.each([
  [{ findings: [], nextCursor: null }, false],
  [{ findings: [{ code: "a" }], nextCursor: null }, true],
])("of a list that is empty until a run is completed, %j is taken: %s", async (page, isTaken) => {
  respond.mockImplementation(async () => Response.json(page));
  void beginCall(PATH, { isEmptyAtFirst: true });
  const taken = await takeBegunCall(PATH);
  expect(await taken?.json()).toEqual(isTaken ? page : undefined);
});

test.each([401, 403, 404, 500])(
  "a response with %i is taken: another call would have the same",
  async (status) => {
    respond.mockImplementation(async () => Response.json({}, { status }));
    void beginCall(PATH);
    expect((await takeBegunCall(PATH))?.status).toBe(status);
  },
);

test("a call that failed fails for who takes it", async () => {
  respond.mockImplementation(() => Promise.reject(new TypeError("no connection")));
  beginCall(PATH).catch(() => undefined);
  await expect(takeBegunCall(PATH)).rejects.toThrow("no connection");
});

test("a response of more than ten seconds ago isn't taken, nor one of another session", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  void beginCall(PATH);
  vi.advanceTimersByTime(10_001);
  expect(await takeBegunCall(PATH)).toBeUndefined();
  void beginCall(PATH);
  forgetBegunCalls();
  expect(await takeBegunCall(PATH)).toBeUndefined();
});
