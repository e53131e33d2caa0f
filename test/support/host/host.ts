import type { Socket } from "node:net";
import { startService } from "../../../scripts/service.ts";
import { cleanEnvironment, COMPILE_CACHE } from "../run-node.ts";
import { HOST_SCRIPT, runnable } from "../service-scripts.ts";
import type { HostAnswer, HostRequests } from "./protocol.ts";

/** Then another process follows: what Node measures for the metrics of each service it measures until the process ends. */
const SERVICES_MAX = 30;

export interface Host {
  /** @throws Error that says why the host could not do it */
  ask<What extends keyof HostRequests>(
    what: What,
    options: HostRequests[What]["options"],
  ): Promise<HostRequests[What]["result"]>;
  /** Counts a service that starts, and one that has ended. */
  began(): void;
  ended(): void;
}

/** By name: services that must not share a process are in hosts of different names. They last as long as this process. */
const hosts = new Map<string, Host>();

export function openHost(name = "first"): Host {
  const known = hosts.get(name);
  if (known !== undefined) return known;
  const host = startHost(() => {
    if (hosts.get(name) === host) hosts.delete(name);
  });
  hosts.set(name, host);
  return host;
}

function startHost(onFull: () => void): Host {
  const service = startService(runnable(HOST_SCRIPT), { env: cleanEnvironment(COMPILE_CACHE) });
  const { child } = service;
  const waiting = new Map<number, (answer: HostAnswer) => void>();
  const hasEnded = () => `the host of the services has ended:\n${service.output()}`;
  let requests = 0;
  let running = 0;
  let begun = 0;
  child.on("message", (answer: HostAnswer) => {
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  void service.ended.then(() => {
    onFull();
    for (const [id, settle] of waiting) settle({ id, error: hasEnded() });
  });
  // The process of the tests may end before it: it ends with it.
  child.unref();
  child.channel?.unref();
  for (const stream of [child.stdout, child.stderr]) (stream as Socket | null)?.unref();
  return {
    async ask(what, options) {
      if (!child.connected) throw new Error(hasEnded());
      const id = ++requests;
      const answered = new Promise<HostAnswer>((resolve) => waiting.set(id, resolve));
      child.send({ id, what, options });
      const answer = await answered;
      if ("error" in answer) throw new Error(answer.error);
      return answer.result;
    },
    began() {
      running++;
      if (++begun === SERVICES_MAX) onFull();
    },
    ended() {
      if (--running === 0 && begun >= SERVICES_MAX) child.disconnect();
    },
  };
}
