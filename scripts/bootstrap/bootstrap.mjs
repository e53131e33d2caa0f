import path from "node:path";
import { buildCli, cliIsBuilt } from "./build-cli.mjs";
import { buildWeb, webIsBuilt } from "./build-web.mjs";
import { root } from "./checkout.mjs";
import { withFileLock } from "./file-lock.mjs";
import { installPackages, packagesAreCurrent } from "./install-packages.mjs";
import { findNode24, installNode24 } from "./node24.mjs";

/**
 * Makes the checkout ready to run: Node 24, the packages, the CLI's bundle, the console's files. What is there already costs milliseconds.
 * Two first runs at once take turns.
 *
 * @returns {Promise<string>} the path of a Node 24 or later
 */
export async function bootstrap() {
  const ready = findNode24();
  if (ready !== undefined && packagesAreCurrent() && cliIsBuilt() && webIsBuilt()) return ready;

  const lockFile = path.join(root, ".waymark", "install.lock");
  return withFileLock(lockFile, { waiting: "Another command is installing; waiting for it" }, async () => {
    const node = findNode24() ?? (await installNode24());
    if (!packagesAreCurrent()) await installPackages(node);
    if (!cliIsBuilt()) await buildCli(node);
    if (!webIsBuilt()) await buildWeb(node);
    return node;
  });
}
