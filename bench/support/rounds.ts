import type { Figure } from "./report.ts";

/** One measurement of one subject. The same subject gives the same names in every round. */
export type Sample = Record<string, number>;

export interface Subject {
  name: string;
  /** Measures once. What it leaves behind is cleared before the next subject's turn. */
  measure: (round: number) => Promise<Sample>;
  clear?: () => Promise<void>;
}

/** Samples by subject, in the order of the rounds. */
export type Samples = Map<string, Sample[]>;

/**
 * Measures the subjects in turns, so that what the machine does meanwhile falls on all of them. The order is turned
 * round by round; a first round that does not count warms everything up.
 */
export async function runRounds(subjects: readonly Subject[], rounds: number): Promise<Samples> {
  const samples: Samples = new Map(subjects.map(({ name }) => [name, []]));
  for (let round = -1; round < rounds; round++) {
    const turn = Math.max(round, 0) % subjects.length;
    for (const subject of [...subjects.slice(turn), ...subjects.slice(0, turn)]) {
      const sample = await subject.measure(round);
      await subject.clear?.();
      if (round >= 0) samples.get(subject.name)?.push(sample);
    }
    process.stderr.write(round < 0 ? "  warm" : ` ${round + 1}`);
  }
  process.stderr.write("\n");
  return samples;
}

/** The values of one measurement, round by round. */
export function valuesOf(samples: Samples, subject: string, measurement: string): number[] {
  const values = samples.get(subject)?.map((sample) => sample[measurement]);
  if (values === undefined || values.length === 0) throw new Error(`nothing was measured for ${subject}`);
  return values.map((value) => {
    if (value === undefined) throw new Error(`${subject} has no ${measurement}`);
    return value;
  });
}

/** One subject's measurement divided by another's of the same round. */
export function ratios(samples: Samples, measurement: string, subject: string, baseline: string): number[] {
  const divisors = valuesOf(samples, baseline, measurement);
  return valuesOf(samples, subject, measurement).map(
    (value, round) => value / (divisors[round] ?? Number.NaN),
  );
}

/** The figures of these measurements, subject by subject. A measurement is its name in the samples, its unit and its label. */
export function figuresOf(
  samples: Samples,
  measurements: readonly (readonly [name: string, unit: string, label?: string])[],
  labelOf: (subject: string) => string = (subject) => subject,
): Figure[] {
  return [...samples.keys()].flatMap((subject) =>
    measurements.map(([name, unit, measurement = name]) => ({
      subject: labelOf(subject),
      measurement,
      unit,
      values: valuesOf(samples, subject, name),
    })),
  );
}
