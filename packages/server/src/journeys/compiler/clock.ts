/** Calls back when its time is used up; pauses don't count. */
export class Clock {
  #timer: NodeJS.Timeout | undefined;
  #leftMs = 0;
  #runningSince = 0;
  #hasEnded = false;
  readonly #onEnd: () => void;

  constructor(onEnd: () => void) {
    this.#onEnd = onEnd;
  }

  begin(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#leftMs = ms;
    this.resume();
  }

  pause(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#leftMs -= performance.now() - this.#runningSince;
  }

  resume(): void {
    if (this.#timer !== undefined || this.#hasEnded) return;
    this.#runningSince = performance.now();
    this.#timer = setTimeout(this.#onEnd, Math.max(this.#leftMs, 0));
  }

  /** For good: what still resumes it has come too late. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#hasEnded = true;
  }
}
