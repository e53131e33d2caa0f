import { AppError } from "@waymark/shared/errors/app-error.ts";

export interface Turns {
  /** Works when its turn has come. @throws AppError `service_unavailable` if too many wait */
  take<T>(organizationId: string, work: () => Promise<T>): Promise<T>;
}

/** Lets one work at a time, with organizations in turn. */
export function createTurns(waitingMax: { organization: number; all: number }): Turns {
  const waiting: { organizationId: string; start: () => void }[] = [];
  let isBusy = false;
  let last: string | undefined;

  function startNext(): void {
    if (isBusy) return;
    const other = waiting.findIndex(({ organizationId }) => organizationId !== last);
    const [next] = waiting.splice(Math.max(0, other), 1);
    if (next === undefined) return;
    isBusy = true;
    last = next.organizationId;
    next.start();
  }

  function assertMayWait(organizationId: string): void {
    const own = waiting.filter((report) => report.organizationId === organizationId);
    if (own.length < waitingMax.organization && waiting.length < waitingMax.all) return;
    const message = "Too many reports are being rendered right now. Try again shortly.";
    throw new AppError("service_unavailable", message, { data: { retryAfterSeconds: 2 } });
  }

  return {
    async take(organizationId, work) {
      assertMayWait(organizationId);
      await new Promise<void>((start) => {
        waiting.push({ organizationId, start });
        startNext();
      });
      try {
        return await work();
      } finally {
        isBusy = false;
        startNext();
      }
    },
  };
}
