import type { Actor } from "@waymark/shared/api-keys/authorize.ts";
import { AppError } from "@waymark/shared/errors/app-error.ts";
import { WAIT_LIMITS } from "@waymark/shared/operations/limits.ts";
import type { FastifyReply } from "fastify";
import { createWatcher, type ReadStates } from "./watcher.ts";

/** After this many seconds, a refused wait may be tried again. */
const RETRY_AFTER_SECONDS = 5;

export interface WaitingRequest {
  actor: Actor;
  reply: FastifyReply;
  /** The row that the request waits for. */
  id: string;
  waitSeconds: number;
}

/** Waits of requests for rows of one kind. */
export interface RowWaits<State> {
  /**
   * Resolves when the row has reached the state or is deleted, when `waitSeconds` are over, when the client has gone, or when
   * the server stops. The caller reads the row again to see which.
   *
   * @throws AppError `rate_limited` if too many requests of the key or the organization wait already
   */
  until(request: WaitingRequest, isReached: (state: State) => boolean): Promise<void>;
}

/** The waits of all requests of this process. */
export interface Waits {
  /** Creates the waits for rows of one kind. `read` reads the states of all rows that are waited for. */
  watch<State>(read: ReadStates<State>): RowWaits<State>;
  /** Ends all waits, now and later, so that a server that stops answers at once. */
  close(): void;
}

/** Creates the waits of this process, which limits how many there are of a key and of an organization. */
export function createWaits(): Waits {
  const closing: (() => void)[] = [];
  const ofKeys = createCounter("waits.keyMax", "key", WAIT_LIMITS.keyMax);
  const ofOrganizations = createCounter("waits.organizationMax", "organization", WAIT_LIMITS.organizationMax);
  return {
    watch(read) {
      const watcher = createWatcher(read);
      closing.push(() => watcher.close());
      return {
        async until({ actor, reply, id, waitSeconds }, isReached) {
          const { organizationId, apiKeyId } = actor;
          const leaveKey = ofKeys.enter(apiKeyId);
          try {
            const leaveOrganization = ofOrganizations.enter(organizationId);
            try {
              const gone = new AbortController();
              if (reply.raw.destroyed) return;
              reply.raw.once("close", () => gone.abort());
              const timeoutMs = waitSeconds * 1_000;
              await watcher.wait({ organizationId, id }, { isReached, timeoutMs, signal: gone.signal });
            } finally {
              leaveOrganization();
            }
          } finally {
            leaveKey();
          }
        },
      };
    },
    close() {
      for (const close of closing) close();
    },
  };
}

function createCounter(name: string, of: "key" | "organization", max: number) {
  const counts = new Map<string, number>();
  return {
    /** Counts a wait. Returns what ends it. */
    enter(id: string): () => void {
      const count = counts.get(id) ?? 0;
      if (count >= max) throw tooMany(name, of, max);
      counts.set(id, count + 1);
      return () => {
        const left = (counts.get(id) ?? 1) - 1;
        if (left === 0) counts.delete(id);
        else counts.set(id, left);
      };
    },
  };
}

function tooMany(name: string, of: "key" | "organization", max: number): AppError {
  const whose = of === "key" ? "one API key" : "all keys of an organization";
  return new AppError(
    "rate_limited",
    `At most ${max} requests of ${whose} may wait at a time. Try again in ${RETRY_AFTER_SECONDS} s, or without waitSeconds.`,
    { data: { retryAfterSeconds: RETRY_AFTER_SECONDS, exceededLimit: { name, value: max, of } } },
  );
}
