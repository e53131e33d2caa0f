import { globSync } from "node:fs";
import { SECRET_VARIABLES } from "@waymark/server/lib/secret-files.ts";
import { describe, expect, it } from "vitest";
import { root } from "../../scripts/bootstrap/checkout.mjs";
import { ApiEnvironment, OwnerEnvironment } from "../../services/api/src/config.ts";
import { WorkerEnvironment } from "../../services/worker/src/config.ts";
import { codesIn, difference, PAGES, readPage, tableRows } from "./support/page.ts";

const SERVICES = [
  ["api", ApiEnvironment],
  ["worker", WorkerEnvironment],
  ["migrate", OwnerEnvironment],
] as const;
const DATABASE = { DATABASE_URL: "postgres://localhost/waymark" };
const API_DEFAULTS: Record<string, unknown> = ApiEnvironment.parse(DATABASE);

const OPERATIONS = "docs/operations.md";
const settings = tableRows(OPERATIONS, ["variable", "read by", "default", "meaning"]).map(
  ([name = "", readers = "", shown = "", meaning = ""]) => ({
    name: codesIn(name)[0] ?? "",
    readers: readers.split(", "),
    shown,
    meaning,
  }),
);

describe(`the table of variables in ${OPERATIONS}`, () => {
  it.each(SERVICES)("has every variable that the %s reads, and no other", (service, schema) => {
    const documented = settings.filter(({ readers }) => readers.includes(service)).map(({ name }) => name);
    // The variables that migrate shares with the services are described beside the table.
    const own = Object.keys(schema.shape).filter(
      (name) => service !== "migrate" || !(name in ApiEnvironment.shape),
    );
    expect(difference(`The table of variables, ${service},`, documented, own)).toBe("");
  });

  it.each(SERVICES)("has the defaults of the %s", (service, schema) => {
    const defaults: Record<string, unknown> = schema.parse(DATABASE);
    const wrong = settings.flatMap(({ name, readers, shown }) => {
      // The defaults of the database's addresses are words.
      if (!readers.includes(service) || /^DATABASE_.*URL$/.test(name)) return [];
      const value = asDocumented(defaults[name]);
      const isShown = value === undefined ? shown === "none" : codesIn(shown).includes(value);
      return isShown ? [] : [`${name} is ${shown} in the table; the ${service}'s default is ${value}.`];
    });
    expect(wrong).toEqual([]);
  });

  it("has the ranges that are accepted", () => {
    const schemas: Record<string, { safeParse: (value: string) => { success: boolean } }> = {
      ...ApiEnvironment.shape,
      ...WorkerEnvironment.shape,
    };
    const ranges = settings.flatMap(({ name, meaning }) =>
      [...meaning.matchAll(/\b(\d+) to (\d+)\b/g)].map(([, min, max]) => ({
        name,
        min: Number(min),
        max: Number(max),
      })),
    );
    expect(ranges.length).toBeGreaterThan(1);
    const wrong = ranges.filter(({ name, min, max }) => {
      const accepts = [min - 1, min, max, max + 1].map(
        (value) => schemas[name]?.safeParse(String(value)).success,
      );
      return accepts.join() !== "false,true,true,false";
    });
    expect(wrong).toEqual([]);
  });
});

describe("the table of rate limits in docs/api-keys.md", () => {
  const rows = tableRows("docs/api-keys.md", ["variable", "default", "counts"]);

  it("has every limit that the api reads", () => {
    const limits = Object.keys(ApiEnvironment.shape).filter((name) =>
      /^(RATE_LIMIT_|ORGANIZATION_|TRUST_PROXY$)/.test(name),
    );
    const documented = rows.flatMap(([name = ""]) => codesIn(name));
    expect(difference("The table of rate limits", documented, limits)).toBe("");
  });

  it("has their defaults", () => {
    const wrong = rows.flatMap(([cell = "", shown]) => {
      const [name = ""] = codesIn(cell);
      const value = asDocumented(API_DEFAULTS[name]) ?? (name === "TRUST_PROXY" ? "nobody" : "off");
      return shown === value ? [] : [`${name} is ${shown} in the table; its default is ${value}.`];
    });
    expect(wrong).toEqual([]);
  });
});

it("the README's table of npm start has existing variables with their defaults", () => {
  const start = readPage("scripts/dev/config.ts");
  const wrong = tableRows("README.md", ["variable", "meaning", "default"]).flatMap(
    ([cell = "", , shown = ""]) => {
      const [names, defaults] = [codesIn(cell), codesIn(shown)];
      return names.flatMap((name, index) => {
        const isRead = name in ApiEnvironment.shape || start.includes(`env["${name}"]`);
        if (!isRead) return [`The README has ${name}, which npm start does not read.`];
        const value = asDocumented(API_DEFAULTS[name]);
        if (value === undefined || name.startsWith("DATABASE")) return [];
        return defaults[index] === value
          ? []
          : [`The README says ${defaults[index]} for ${name}; it is ${value}.`];
      });
    },
  );
  expect(wrong).toEqual([]);
});

const commandVariables = new Set(
  globSync("cli/src/**/*.ts", { cwd: root })
    // The variables of CI systems are documented by their systems.
    .filter((file) => !file.endsWith(".test.ts") && !/[\\/](?:test-support|ci)[\\/]/.test(file))
    .flatMap((file) => [
      ...readPage(file).matchAll(/(?:\benv(?:ironment)?\[|\(environment, |\? )"([A-Z]+(?:_[A-Z\d]+)*)"/g),
      ...readPage(file).matchAll(/ : "(HTTP_PROXY)"/g),
    ])
    .map((match) => match[1] ?? ""),
);

it("the table of the command's variables has each that it reads", () => {
  const documented = tableRows("docs/pipelines.md", ["variable", "meaning"]).flatMap(([cell = ""]) =>
    codesIn(cell),
  );
  expect(difference("The table of variables in docs/pipelines.md", documented, commandVariables)).toBe("");
});

it.each(PAGES)("%s names only existing variables", (page) => {
  const known = new Set([
    ...SECRET_VARIABLES.map((name) => `${name}_FILE`),
    ...SERVICES.flatMap(([, schema]) => Object.keys(schema.shape)),
    ...commandVariables,
    // Read by npm start, by the tests and by Node itself.
    "WAYMARK_DATA_DIR",
    "EXAMPLE_API_PORT",
    // The secret of the example journey.
    "NOTES_TOKEN",
    "TEST_DATABASE_URL",
    "NODE_COMPILE_CACHE",
  ]);
  const named = codesIn(readPage(page)).flatMap(
    (code) => /^([A-Z]+(?:_[A-Z]+)+)(?:=.*)?$/.exec(code)?.[1] ?? [],
  );
  // OpenTelemetry's packages read their own variables.
  expect(named.filter((name) => !known.has(name) && !name.startsWith("OTEL_"))).toEqual([]);
});

/** A default as the tables write it; undefined for none. */
function asDocumented(value: unknown): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value).replaceAll('"', "");
}
