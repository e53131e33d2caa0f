/** Counts jobs that are done. */
export interface JobCounter {
  done: () => void;
  /** Adds jobs, eight at a time, and returns the milliseconds until all of them are done. */
  run: (jobs: number, add: (n: number) => Promise<unknown>) => Promise<number>;
}

const RUNNERS = 8;

export function createJobCounter(): JobCounter {
  let left = 0;
  let finish: () => void = () => undefined;
  return {
    done() {
      left--;
      if (left === 0) finish();
    },
    async run(jobs, add) {
      left = jobs;
      const finished = new Promise<void>((resolve) => (finish = resolve));
      const start = performance.now();
      let next = 0;
      const runner = async () => {
        for (let n = next++; n < jobs; n = next++) await add(n);
      };
      await Promise.all(Array.from({ length: RUNNERS }, runner));
      await finished;
      return performance.now() - start;
    },
  };
}
