/** The measurements that a process took of itself while it ran journeys, one after the other. */
export interface JourneyRuns {
  perSecond: number;
  /** Processor time of the whole process, per journey. */
  cpuMs: number;
}

/** Runs a journey again and again, concurrency 1. The journey throws when it did not pass. */
export async function measureRuns(count: number, journey: () => Promise<void>): Promise<JourneyRuns> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  for (let n = 0; n < count; n++) await journey();
  const ms = performance.now() - start;
  const { user, system } = process.cpuUsage(cpu);
  return { perSecond: (count / ms) * 1000, cpuMs: (user + system) / 1000 / count };
}
