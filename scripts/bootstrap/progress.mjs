const REPEAT_MS = 5_000;

/**
 * Tells on standard error that a step is under way and how long it took. On a terminal the line counts the seconds;
 * elsewhere a line follows every five seconds, so that nobody takes a slow step for a dead one.
 *
 * @template T
 * @param {string} title
 * @param {(detail: (text: string) => void) => Promise<T>} work may tell what it is at
 * @returns {Promise<T>}
 */
export async function step(title, work) {
  const startedAt = Date.now();
  const terminal = process.stderr.isTTY;
  const seconds = () => `${Math.round((Date.now() - startedAt) / 1000)} s`;
  let detail = "";
  const line = () => `  ${title} … ${detail === "" ? "" : `${detail}, `}${seconds()}`;
  const draw = () => {
    if (terminal) process.stderr.write(`\r\x1b[2K${line().slice(0, (process.stderr.columns || 80) - 1)}`);
    else process.stderr.write(`${line()}\n`);
  };

  if (terminal) draw();
  else process.stderr.write(`  ${title} …\n`);
  const timer = setInterval(draw, terminal ? 250 : REPEAT_MS);
  try {
    const result = await work((text) => {
      detail = text;
    });
    if (terminal) process.stderr.write("\r\x1b[2K");
    process.stderr.write(`  ${title}: done in ${((Date.now() - startedAt) / 1000).toFixed(1)} s\n`);
    return result;
  } catch (error) {
    if (terminal) process.stderr.write("\r\x1b[2K");
    process.stderr.write(`  ${title}: failed after ${seconds()}\n`);
    throw error;
  } finally {
    clearInterval(timer);
  }
}
