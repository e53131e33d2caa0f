// Every npm command of package.json runs this script, also on a new machine that has Node 20 and nothing installed. It
// finds or installs Node 24, installs the packages, and runs the given script on Node 24.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  process.stderr.write(
    `Waymark needs Node 20.19 or later; this is Node ${process.versions.node}. Install a newer one from https://nodejs.org.\n`,
  );
  process.exit(1);
}

// Imported late: older Node versions must get as far as the message above.
const { bootstrap } = await import("./bootstrap/bootstrap.mjs");
const { handOver } = await import("./bootstrap/run-program.mjs");
try {
  await handOver(await bootstrap(), process.argv.slice(2));
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}
