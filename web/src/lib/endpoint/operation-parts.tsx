import { Code, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import type { MediaView, OperationView, ParameterView, ResponseView } from "../description/messages.ts";
import { MarkedText } from "./marked-text.tsx";
import classes from "./operation-parts.module.css";
import { Deprecated, Required, SchemaTree } from "./schema-tree.tsx";

/** Where parameters are, in words, in the order in which they are shown. */
const PLACES: readonly (readonly [place: string, title: string])[] = [
  ["path", "Path parameters"],
  ["query", "Query parameters"],
  ["querystring", "Query string"],
  ["header", "Headers"],
  ["cookie", "Cookies"],
];

interface Shown {
  scanRunId: string;
  operation: OperationView;
}

/** All that a description says about an operation. It only reads: nothing is sent to the API that is described. */
export function OperationParts({ scanRunId, operation }: Shown) {
  const { description, security, servers, parameters, body, responses, callbacks } = operation;
  return (
    <Stack gap="md">
      {description !== null && <MarkedText text={description} />}
      {servers.length > 0 && <Line name={servers.length === 1 ? "Server" : "Servers"} values={servers} />}
      {security.length > 0 && <Line name="Needs" values={security} between=" or " />}
      {PLACES.map(([place, title]) => (
        <Parameters
          key={place}
          title={title}
          scanRunId={scanRunId}
          parameters={parameters.filter((one) => one.in === place)}
        />
      ))}
      {body !== null && (
        <Part title="Request body" note={body.required ? <Required /> : undefined}>
          {body.description !== null && <MarkedText text={body.description} />}
          <Content scanRunId={scanRunId} content={body.content} />
        </Part>
      )}
      <Part title="Responses">
        {responses.length === 0 && <Text size="sm">The description names no response.</Text>}
        {responses.map((response) => (
          <Response key={response.status} scanRunId={scanRunId} response={response} />
        ))}
      </Part>
      {callbacks.length > 0 && (
        <Line name="Calls back" values={callbacks.map(({ method, path }) => `${method} ${path}`)} />
      )}
    </Stack>
  );
}

/** A part of an endpoint or of its operation, below its title. */
export function Part({ title, note, children }: { title: string; note?: ReactNode; children: ReactNode }) {
  return (
    <section aria-label={title}>
      <Title order={3} size="h4" mb={4}>
        {title} {note}
      </Title>
      {children}
    </section>
  );
}

function Line({
  name,
  values,
  between = ", ",
}: {
  name: string;
  values: readonly string[];
  between?: string;
}) {
  return (
    <Text size="sm" className="breaks">
      <span className={classes["name"]}>{name}: </span>
      {values.map((value, index) => (
        <span key={value}>
          {index > 0 && between}
          <Code>{value}</Code>
        </span>
      ))}
    </Text>
  );
}

function Parameters(props: { title: string; scanRunId: string; parameters: readonly ParameterView[] }) {
  const { title, scanRunId, parameters } = props;
  if (parameters.length === 0) return null;
  return (
    <Part title={title}>
      <ul className={classes["list"]}>
        {parameters.map((parameter) => (
          <li key={parameter.name}>
            <Code>{parameter.name}</Code> {parameter.required && <Required />}
            {parameter.deprecated && <Deprecated />}
            {parameter.description !== null && <MarkedText text={parameter.description} />}
            <SchemaTree scanRunId={scanRunId} schema={parameter.schema} />
          </li>
        ))}
      </ul>
    </Part>
  );
}

/** A response. Those of success are unfolded. */
function Response({ scanRunId, response }: { scanRunId: string; response: ResponseView }) {
  const { status, description, headers, content } = response;
  const isEmpty = headers.length === 0 && content.length === 0;
  const head = (
    <>
      <Code fw={700}>{status}</Code> {description !== null && <span className="breaks">{description}</span>}
    </>
  );
  if (isEmpty) return <div className={classes["response"]}>{head}</div>;
  return (
    <details className={classes["response"]} open={status.startsWith("2")}>
      <summary>{head}</summary>
      <Parameters title="Headers" scanRunId={scanRunId} parameters={headers} />
      <Content scanRunId={scanRunId} content={content} />
    </details>
  );
}

function Content({ scanRunId, content }: { scanRunId: string; content: readonly MediaView[] }) {
  return (
    <>
      {content.map(({ name, schema, example }) => (
        <div key={name} className={classes["media"]}>
          <Code>{name}</Code>
          {schema === null ? (
            <Text size="sm">The description says nothing about the values.</Text>
          ) : (
            <SchemaTree scanRunId={scanRunId} schema={schema} />
          )}
          {example !== null && (
            <details>
              <summary>Example</summary>
              <Code block tabIndex={0} className="wraps">
                {example}
              </Code>
            </details>
          )}
        </div>
      ))}
    </>
  );
}
