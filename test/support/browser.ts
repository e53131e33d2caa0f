import { existsSync, readFileSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { findOrInstall } from "./debian-package.ts";

const WHOLE_BROWSERS = [
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

let shared: Promise<Browser> | undefined;

/** One browser for all test files of this process, with which it ends: to start one takes longer than to open a page. */
export function sharedBrowser(): Promise<Browser> {
  return (shared ??= launchBrowser());
}

/**
 * A real browser: CHROMIUM_PATH, else Chromium's headless shell, on Debian installed with apt as root, else an installed
 * Chrome or Chromium.
 *
 * @throws Error that says what to do if there is none
 */
async function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: await findBrowser(),
    // Only the test's own pages: no sandbox as root, no background requests.
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

/** The headless shell is Chromium without its windows: the browser tests take half the processor time there. */
async function findBrowser(): Promise<string> {
  const given = process.env["CHROMIUM_PATH"];
  if (given !== undefined && given !== "") {
    if (!existsSync(given)) throw new Error(`CHROMIUM_PATH names ${given}, where nothing is.`);
    return given;
  }
  const whole = WHOLE_BROWSERS.find((file) => existsSync(file));
  const system = existsSync("/etc/os-release") ? readFileSync("/etc/os-release", "utf8") : "";
  // Ubuntu has no package of the shell.
  const isUbuntu = /^ID=ubuntu$/m.test(system);
  if (isUbuntu && whole !== undefined) return whole;
  const name = isUbuntu ? "chromium-browser" : "chromium-headless-shell";
  const found = await findOrInstall([name], { debianPackage: name, manual: WHAT_TO_DO });
  if ("file" in found) return found.file;
  if (whole === undefined) throw new Error(found.whatToDo);
  return whole;
}
