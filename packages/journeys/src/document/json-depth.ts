/** Whether a JSON text is nested deeper than this. JSON is walked recursively, and no text may exhaust the stack. */
export function isDeeperThan(text: string, max: number): boolean {
  if (text.length < max * 2) return false;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (inString) {
      if (code === 0x5c) at++;
      else if (code === 0x22) inString = false;
    } else if (code === 0x22) inString = true;
    else if (code === 0x7b || code === 0x5b) {
      if (++depth > max) return true;
    } else if (code === 0x7d || code === 0x5d) depth--;
  }
  return false;
}
