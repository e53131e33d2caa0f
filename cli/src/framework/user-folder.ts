import path from "node:path";
import { type Environment, given } from "../lib/config.ts";

/** Returns the user's folder for settings, or for what can be made again. Undefined without a home, as some containers are. */
export function userFolder(env: Environment, kind: "config" | "cache"): string | undefined {
  const isWindows = process.platform === "win32";
  const named =
    kind === "config"
      ? given(isWindows ? env["APPDATA"] : env["XDG_CONFIG_HOME"])
      : given(isWindows ? env["LOCALAPPDATA"] : env["XDG_CACHE_HOME"]);
  // The XDG specification ignores relative paths.
  if (named !== undefined && path.isAbsolute(named)) return named;
  const home = given(env["HOME"]);
  return home === undefined ? undefined : path.join(home, `.${kind}`);
}
