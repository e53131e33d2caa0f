import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const INSTALLED = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe",
];

const WHAT_TO_DO =
  "The browser tests need Chrome or Chromium: install one, or set CHROMIUM_PATH to its program. " +
  "On Debian and Ubuntu they install it themselves when they run as root.";

/**
 * A real browser: CHROMIUM_PATH, else an installed Chrome or Chromium, else installed with apt on Debian and Ubuntu
 * as root.
 *
 * @throws Error that says what to do where there is no way to one
 */
export async function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: findBrowser(),
    // Nothing but the test's own pages: no sandbox as root, no calls home.
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

function findBrowser(): string {
  const given = process.env["CHROMIUM_PATH"];
  if (given !== undefined && given !== "") {
    if (!existsSync(given)) throw new Error(`CHROMIUM_PATH names ${given}, where nothing is.`);
    return given;
  }
  const found = INSTALLED.find((file) => existsSync(file)) ?? installWithApt();
  if (found === undefined) throw new Error(WHAT_TO_DO);
  return found;
}

function installWithApt(): string | undefined {
  const isDebian = existsSync("/etc/debian_version") && process.getuid?.() === 0;
  if (!isDebian || spawnSync("apt-get", ["--version"]).status !== 0) return undefined;
  const name = /ID=ubuntu/.test(readFileSync("/etc/os-release", "utf8")) ? "chromium-browser" : "chromium";
  process.stderr.write("Installing Chromium with apt for the browser tests …\n");
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  execFileSync("apt-get", ["update", "-qq"], { env, stdio: "ignore" });
  execFileSync("apt-get", ["install", "-y", "-qq", "--no-install-recommends", name], {
    env,
    stdio: "ignore",
  });
  return INSTALLED.find((file) => existsSync(file));
}
