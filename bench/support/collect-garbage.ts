import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Has this process's garbage collected now, so that it is not collected while something is measured. */
export function collectGarbage(): void {
  collect();
}
