const PATIENCE_MS = 120_000;

/**
 * Starts something again that could not connect to its database in time, as a supervisor does: a busy machine takes longer than the
 * time limits of the services.
 */
export async function startAgainWhenLate<T>(start: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + PATIENCE_MS; ;) {
    try {
      return await start();
    } catch (error) {
      const isLate = /timeout expired|timeout exceeded|Query read timeout/.test(String(error));
      if (!isLate || Date.now() > deadline) throw error;
    }
  }
}
