import type { FromRunner } from "./messages.ts";

type Progress = Extract<FromRunner, { kind: "progress" }>;

/** Sends the events of a run to the parent. */
export interface Outbox {
  add: (news: Partial<Pick<Progress, "steps" | "currentStep" | "checkpoint">>) => void;
  /** Sends at once. */
  flush: (options?: { isUrgent: boolean }) => void;
}

/** Collects until the event loop turns: a step, the state after it and the next one's begin are one message. */
export function createOutbox(send: (message: FromRunner) => void): Outbox {
  let currentStep: string | null = null;
  let pending: Progress | undefined;
  let timer: NodeJS.Immediate | undefined;
  const outbox: Outbox = {
    add(news) {
      const isKnown = news.currentStep === currentStep && Object.keys(news).length === 1;
      if (isKnown) return;
      if (news.currentStep !== undefined) ({ currentStep } = news);
      const { steps = [], checkpoint = pending?.checkpoint } = news;
      pending = {
        kind: "progress",
        steps: [...(pending?.steps ?? []), ...steps],
        currentStep,
        isUrgent: false,
        ...(checkpoint === undefined ? {} : { checkpoint }),
      };
      timer ??= setImmediate(() => outbox.flush());
    },
    flush({ isUrgent } = { isUrgent: false }) {
      clearImmediate(timer);
      timer = undefined;
      if (pending !== undefined || isUrgent)
        send({ ...(pending ?? { kind: "progress", steps: [], currentStep }), isUrgent });
      pending = undefined;
    },
  };
  return outbox;
}
