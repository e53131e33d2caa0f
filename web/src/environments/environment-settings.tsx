import { Code, Paper, Text, Title } from "@mantine/core";
import type { Environment } from "@waymark/shared/environments/schema.ts";
import type { ReactNode } from "react";
import { Fact, Facts } from "../lib/facts.tsx";

/** Shows the servers, variables, inputs and hosts of an environment. */
export function EnvironmentSettings({ environment }: { environment: Environment }) {
  const { servers, variables, inputs, allowedHosts, storesBodies } = environment;
  return (
    <Paper withBorder p="md">
      <Title order={2} size="h4" mb="xs">
        Settings
      </Title>
      <Facts>
        <Fact name="Servers">
          <Lines none="those of the descriptions">
            {Object.entries(servers).map(([source, url]) => (
              <div key={source}>
                {source}: {url}
              </div>
            ))}
          </Lines>
        </Fact>
        <Fact name="Allowed hosts">
          <Lines none="none: no run can connect to anything">
            {allowedHosts.map((host) => (
              <div key={host}>{host}</div>
            ))}
          </Lines>
        </Fact>
        <Fact name="Inputs">
          <Values values={inputs} />
        </Fact>
        {Object.keys(variables).length > 0 && (
          <Fact name="Server variables">
            <Values values={variables} />
          </Fact>
        )}
        <Fact name="Protected">
          {environment.protected ? "yes: only released versions run here" : "no: every version runs here"}
        </Fact>
        <Fact name="Bodies">
          {storesBodies ? "stored in results" : "not stored: results have none of requests and responses"}
        </Fact>
      </Facts>
    </Paper>
  );
}

function Lines({ none, children }: { none: string; children: ReactNode[] }) {
  return children.length === 0 ? <Text size="sm">{none}</Text> : <div>{children}</div>;
}

function Values({ values }: { values: Readonly<Record<string, unknown>> }) {
  return (
    <Lines none="none">
      {Object.entries(values).map(([name, value]) => (
        <div key={name}>
          {name}: <Code>{JSON.stringify(value)}</Code>
        </div>
      ))}
    </Lines>
  );
}
