import { createRandom, type Random } from "../support/random.ts";

/** The scans that organizations send. The shares are assumptions, which the page names. */
export const WORKLOAD = {
  services: 1_000,
  scansPerServiceAndDay: 50,
  /** The rest is typical. */
  maxShare: 0.05,
  kinds: { repeated: 0.8, evolving: 0.19, new: 0.01 },
  /** The rest follows working hours. */
  scheduledShare: 0.3,
  /** Scheduled pipelines begin at the full hour, within this time. */
  scheduledWithinS: 300,
  /** Hours from UTC, and the share of organizations that works there. */
  zones: [
    { hours: -6, share: 0.4 },
    { hours: 1, share: 0.4 },
    { hours: 8, share: 0.2 },
  ],
  retentionDays: 90,
} as const;

export const STEP_S = 10;
const DAY_S = 86_400;
const STEPS = DAY_S / STEP_S;
/** From 8 to 18 o'clock an organization sends so many times as much as at night. */
const WORKING = { from: 8, to: 18, times: 8 };
/** From this mean on, a normal distribution is close enough to Poisson's. */
const NORMAL_FROM = 50;

/** The share of a day's scans that an organization sends in each step, by UTC. */
function dayOf(zoneHours: number): Float64Array {
  const weightAt = (step: number): number => {
    const hour = ((step * STEP_S) / 3_600 + zoneHours + 24) % 24;
    return hour >= WORKING.from && hour < WORKING.to ? WORKING.times : 1;
  };
  const weights = Float64Array.from({ length: STEPS }, (_, step) => weightAt(step));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const burstSteps = WORKLOAD.scheduledWithinS / STEP_S;
  return weights.map((weight, step) => {
    const isBurst = (step * STEP_S) % 3_600 < WORKLOAD.scheduledWithinS;
    const scheduled = isBurst ? WORKLOAD.scheduledShare / (24 * burstSteps) : 0;
    return ((1 - WORKLOAD.scheduledShare) * weight) / total + scheduled;
  });
}

/** How many scans arrive in each step of a day from so many organizations, at random around what is expected. */
export function simulateArrivals(organizations: number, seed: number): Float64Array {
  const random = createRandom(seed);
  const days = WORKLOAD.zones.map(({ hours, share }) => ({ share, day: dayOf(hours) }));
  const perZone = days.map(() => 0);
  for (let n = 0; n < organizations; n++) {
    const zone = drawZone(random);
    perZone[zone] = (perZone[zone] ?? 0) + 1;
  }
  const scansPerDay = WORKLOAD.services * WORKLOAD.scansPerServiceAndDay;
  return Float64Array.from({ length: STEPS }, (_, step) => {
    const expected = days.reduce(
      (sum, { day }, zone) => sum + (perZone[zone] ?? 0) * scansPerDay * (day[step] ?? 0),
      0,
    );
    return drawPoisson(expected, random);
  });
}

function drawZone(random: Random): number {
  let left = random();
  for (const [zone, { share }] of WORKLOAD.zones.entries()) {
    left -= share;
    if (left < 0) return zone;
  }
  return WORKLOAD.zones.length - 1;
}

function drawPoisson(mean: number, random: Random): number {
  if (mean > NORMAL_FROM) {
    const normal = Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
    return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal));
  }
  const limit = Math.exp(-mean);
  let count = 0;
  for (let product = random(); product > limit; product *= random()) count++;
  return count;
}
