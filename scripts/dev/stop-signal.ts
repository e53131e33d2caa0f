const SECOND_SIGNAL_AFTER_MS = 1_000;

/**
 * Calls `first` for the first SIGINT, SIGTERM or SIGHUP, and `again` for one that comes a second or more later: one
 * Ctrl-C may arrive twice, from the terminal and through npm.
 */
export function onStopSignal({ first, again }: { first: () => void; again: () => void }): void {
  let firstAt: number | undefined;
  const onSignal = () => {
    if (firstAt === undefined) first();
    else if (Date.now() - firstAt > SECOND_SIGNAL_AFTER_MS) again();
    firstAt ??= Date.now();
  };
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, onSignal);
  // After a SIGHUP, nothing reads the output.
  for (const stream of [process.stdout, process.stderr]) stream.on("error", () => undefined);
}
