import { type Check, mustBe, mustMatch } from "../check.ts";
import { buildWaymark, type Images } from "../images.ts";
import { docker } from "../run.ts";
import { checkSbom } from "./sbom.ts";

const STARTS = 5;
const CACHE_LINE = /was accepted|was rejected|reading cache .* failed|not match/i;

export const image: Check = {
  title: "The image",
  what: "It runs as an ordinary user without a writable file system, has its labels, no tests, no development packages and no code that writes journeys; its SBOM lists exactly what is installed, the cache of compiled code is used, and its base can be pinned by a digest.",
  async run(fleet) {
    const name = fleet.images.waymark;
    const inImage = (script: string) =>
      docker("run", "--rm", "--read-only", "--network", "none", name, "sh", "-c", script);
    mustBe("its user", await inImage("id -u"), "1000");
    mustBe("its writable files", await inImage("find /app -writable | wc -l"), "0");
    const unwanted =
      "ls -d test web/src bench packages/journey-authoring node_modules/vitest node_modules/typescript";
    mustBe("what should not be in it", await inImage(`${unwanted} 2>/dev/null | wc -l`), "0");
    const labels = JSON.parse(await docker("inspect", "--format", "{{json .Config.Labels}}", name)) as Record<
      string,
      string
    >;
    mustBe("its license", labels["org.opencontainers.image.licenses"], "Apache-2.0");
    const cache = await inImage(
      "NODE_DEBUG_NATIVE=COMPILE_CACHE node services/api/src/migrate.ts 2>&1 | grep -i 'cache for' || true",
    );
    const hits = cache.split("\n").filter((line) => /was accepted/.test(line)).length;
    const misses = cache.split("\n").filter((line) => CACHE_LINE.test(line)).length - hits;
    mustBe("modules that the cache lacked", misses, 0);
    mustBe("whether the cache was used", hits > 100, true);
    const sbom = await checkSbom(inImage);
    await mustTakeDigest(fleet.images);
    const bytes = Number(await docker("inspect", "--format", "{{.Size}}", name));
    return {
      "runs as": "1000:1000, on a read-only file system",
      labels: Object.keys(labels).length,
      "size with its base (MB)": Math.round(bytes / 1e6),
      "of that /app (MB)": Number((await inImage("du -sm /app")).split("\t")[0]),
      "packages in its SBOM, and installed": sbom,
      "built from its base's digest": "the same image",
      "workspaces in it": (await inImage("ls packages services | grep -v : | sort -u | xargs")).trim(),
      "modules from the compile cache, of migrate": hits,
      "modules that the cache lacked": misses,
      ...(await startTimes(name)),
    };
  },
};

/** The digest of an image that no registry has is its id. */
async function mustTakeDigest({ node, waymark }: Images): Promise<void> {
  const idOf = (name: string) => docker("inspect", "--format", "{{.Id}}", name);
  const pinned = `${waymark}-pinned`;
  const digest = await idOf(node);
  mustMatch("the digest", digest, /^sha256:[0-9a-f]{64}$/);
  await buildWaymark(pinned, digest);
  mustBe("the image built from the digest", await idOf(pinned), await idOf(waymark));
  await docker("rmi", pinned);
}

/** Until everything of the api is loaded; the median of some starts. */
async function startTimes(name: string): Promise<Record<string, number>> {
  const load = "await import('/app/services/api/src/app/build-app.ts')";
  const script = `const t = performance.now(); ${load}; console.log(Math.round(performance.now() - t)); process.exit(0)`;
  const median = async (cache: string) => {
    const times: number[] = [];
    for (let index = 0; index < STARTS; index++) {
      const args = [
        "run",
        "--rm",
        "--env",
        `NODE_COMPILE_CACHE=${cache}`,
        name,
        "node",
        "--input-type=module",
      ];
      times.push(Number(await docker(...args, "--eval", script)));
    }
    return times.toSorted((a, b) => a - b)[Math.floor(STARTS / 2)] ?? 0;
  };
  return {
    "the api's modules load in (ms, median of 5)": await median("/compile-cache"),
    "without the cache (ms)": await median(""),
  };
}
