import { expect, it } from "vitest";
import { toAppError } from "./error-handler.ts";

const withCode = (code: string, message = "as Postgres says it") =>
  Object.assign(new Error(message), { code });

it.each([
  ["08006", "connection failure"],
  ["25006", "read-only standby"],
  ["25P03", "idle in a transaction for too long"],
  ["40001", "serialization failure"],
  ["40P01", "deadlock"],
  ["53100", "disk full"],
  ["53200", "out of memory"],
  ["53300", "too many connections"],
  ["55P03", "lock not available"],
  ["57014", "statement timeout"],
  ["57P01", "shutting down"],
  ["57P03", "starting up"],
  ["58030", "I/O error"],
  ["ECONNREFUSED", "nobody listens"],
  ["ECONNRESET", "killed"],
  ["EHOSTUNREACH", "no way there"],
  ["EAI_AGAIN", "no name service"],
])("%s (%s) gets 503 with Retry-After, also as a cause", (code) => {
  for (const error of [withCode(code), new Error("wrapped", { cause: withCode(code) })]) {
    expect(toAppError(error)).toMatchObject({
      code: "service_unavailable",
      data: { retryAfterSeconds: expect.any(Number) },
    });
  }
});

it.each([
  "Connection terminated unexpectedly",
  "Connection terminated due to connection timeout",
  "timeout exceeded when trying to connect",
  "Client has encountered a connection error and is not queryable",
  "Client was closed and is not queryable",
])("%s gets 503", (message) => {
  expect(toAppError(new Error(message)).code).toBe("service_unavailable");
});

it.each([withCode("23505"), withCode("42703"), new TypeError("x is not a function"), "thrown text", null])(
  "%s is a fault of ours: 500, and says nothing of itself",
  (thrown) => {
    const error = toAppError(thrown);
    expect(error.code).toBe("internal_error");
    expect(error.message).not.toContain("Postgres");
  },
);
