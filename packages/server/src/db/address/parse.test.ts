import { describe, expect, test } from "vitest";
import { canonicalDatabaseUrl } from "./connection.ts";
import { parseDatabaseUrl } from "./parse.ts";

const PASSWORD = "hunter2";

describe("an address of Postgres", () => {
  test.each([
    ["postgres://u:p@h:5433/d", "postgres://u:p@h:5433/d"],
    ["postgresql://h", "postgres://h:5432/"],
    ["postgres://u@h:/", "postgres://u@h:5432/"],
    ["postgres://u:p@[fd00::5]:5433/d", "postgres://u:p@[fd00::5]:5433/d"],
    ["postgres:///d?host=/var/run/postgresql&user=u", "postgres://u@%2Fvar%2Frun%2Fpostgresql:5432/d"],
    [
      "postgres://u:p@/d?host=/cloudsql/project:region:name",
      "postgres://u:p@%2Fcloudsql%2Fproject%3Aregion%3Aname:5432/d",
    ],
    ["postgres://u:p@%2Fvar%2Frun/d", "postgres://u:p@%2Fvar%2Frun:5432/d"],
    ["postgres://ignored:5/x?host=h&port=6432&dbname=d&user=u&password=p", "postgres://u:p@h:6432/d"],
    ["postgres://u%40azure:p%2F%3F%23@h/my%20db", "postgres://u%40azure:p%2F%3F%23@h:5432/my%20db"],
    ["postgres://u:p@ss@h/d", "postgres://u:p%40ss@h:5432/d"],
    ["postgres://h/d?options=-c%20geqo%3Doff", "postgres://h:5432/d?options=-c%20geqo%3Doff"],
    [
      "postgres://h/d?connect_timeout=10&application_name=x&target_session_attrs=read-write",
      "postgres://h:5432/d",
    ],
    ["postgres://h/d?sslmode=no-verify", "postgres://h:5432/d?sslmode=require"],
    ["postgres://h/d?ssl=true", "postgres://h:5432/d?sslmode=require"],
    ["postgres://h/d?sslmode=verify-full", "postgres://h:5432/d?sslmode=verify-full"],
    [
      "postgres://h/d?sslmode=verify-full&sslrootcert=system",
      "postgres://h:5432/d?sslmode=verify-full&sslrootcert=system",
    ],
    [
      "postgres://u:p@h1:5433,h2/d?target_session_attrs=read-write&sslmode=require",
      "postgres://u:p@h1:5433,h2:5432/d?sslmode=require",
    ],
    ["postgres://u:p@/d?host=h1,h2&port=5432,5433", "postgres://u:p@h1:5432,h2:5433/d"],
    ["postgres://u:p@/d?host=h1,h2&port=6432", "postgres://u:p@h1:6432,h2:6432/d"],
    ["postgres://u:p@h1,h2:5433/d?port=6432", "postgres://u:p@h1:6432,h2:6432/d"],
    ["postgres://u:p@[fd00::5]:5433,[fd00::6]/d", "postgres://u:p@[fd00::5]:5433,[fd00::6]:5432/d"],
  ])("%s is read", (given, canonical) => {
    expect(canonicalDatabaseUrl(given)).toBe(canonical);
    expect(canonicalDatabaseUrl(canonical)).toBe(canonical);
    expect(URL.canParse(canonical)).toBe(!canonical.includes(","));
  });

  test.each([
    ["postgres://a:hunter2@h1:5432,h2:5432/d?target_session_attrs=prefer-standby", /read-write/],
    ["postgres://a:hunter2@h1,h2,h3/d?port=5432,5433", /3 hosts and 2 ports/],
    ["postgres://a:hunter2@h/d?port=5432,5433", /1 hosts and 2 ports/],
    ["postgres://a:hunter2@h1,,h2/d", /must name a host/],
    ["postgres://a:hunter2@h1,h2:99999/d", /port from 1 to 65535/],
    ["postgres://a:hunter2@h1,h 2/d", /unknown host/],
    ["host=h password=hunter2", /must be a postgres:\/\/ address/],
    ["mysql://a:hunter2@h/d", /must be a postgres:\/\/ address/],
    ["postgres:///d", /must name a host/],
    ["postgres://a:hunter#2@h/d", /# as %23/],
    ["postgres://a:hunter2/b@h/d", /\/ as %2F/],
    ["postgres://a:hunter2?b=c@h/d", /\? as %3F/],
    ["postgres://a:5?hunter2=c@h/d", /\? as %3F/],
    ["postgres://a:hunter2%@h/d", /% as %25/],
    ["postgres://a:hunter2@fd00::5/d", /IPv6 address in brackets|port/],
    ["postgres://a:hunter2@h:0/d", /port from 1 to 65535/],
    ["postgres://a:hunter2@h o/d", /unknown host/],
    ["postgres://a:hunter2@h/d?sslmode=prefer", /without encryption/],
    ["postgres://a:hunter2@h/d?sslmode=constructor", /sslmode/],
    ["postgres://a:hunter2@h/d?sslmode=verify-ca", /sslrootcert/],
    ["postgres://a:hunter2@h/d?sslmode=require&sslrootcert=system", /verify-full/],
    ["postgres://a:hunter2@h/d?sslmode=disable&sslrootcert=/ca.pem", /disable/],
    ["postgres://a:hunter2@h/d?sslmode=require&sslcert=/c.pem", /sslkey/],
    ["postgres://a:hunter2@h/d?sslmode=verify-full&sslrootcert=/nowhere/ca.pem", /\/nowhere\/ca\.pem/],
    ["postgres://a:hunter2@h/d?channel_binding=require", /channel_binding/],
    ["postgres://a:hunter2@h/d?target_session_attrs=standby", /target_session_attrs/],
    ["postgres://a:hunter2@h/d?pgbouncer=true", /"pgbouncer"/],
    ["postgres://a:hunter2@h/d?toString=1", /"toString"/],
    ["postgres://a:hunter2@h/d?sslmode", /without a value/],
  ])("%s is refused, and the password isn't shown", (given, reason) => {
    const read = () => canonicalDatabaseUrl(given);
    expect(read).toThrow(reason);
    expect(read).not.toThrow(PASSWORD);
  });

  test("says by libpq's words how a connection is encrypted", () => {
    const modeOf = (query: string) => parseDatabaseUrl(`postgres://h/d?${query}`).tls.mode;
    expect(parseDatabaseUrl("postgres://h/d").tls.mode).toBe("disable");
    expect(modeOf("sslrootcert=/ca.pem")).toBe("verify-ca");
    expect(modeOf("sslmode=require&sslrootcert=/ca.pem")).toBe("verify-ca");
    expect(modeOf("sslmode=require")).toBe("require");
  });
});
