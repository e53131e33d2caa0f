import { Badge, Code, Text } from "@mantine/core";
import { useState } from "react";
import type { SchemaEntry, SchemaGroup, SchemaView } from "../description/messages.ts";
import { useSchemaGroups } from "../description/use-description.ts";
import { ErrorAlert } from "../error-alert.tsx";
import { LOCALE } from "../locale.ts";
import { MarkedText } from "./marked-text.tsx";
import classes from "./schema-tree.module.css";

interface Shown {
  scanRunId: string;
  schema: SchemaView;
}

/** A schema whose first level is unfolded. */
export function SchemaTree({ scanRunId, schema }: Shown) {
  return (
    <div className={classes["tree"]}>
      <SchemaLine schema={schema} />
      {schema.opens !== null && <Inside scanRunId={scanRunId} opens={schema.opens} above={[]} />}
    </div>
  );
}

/** The type of a schema, its limits and its text. */
export function SchemaLine({ schema }: { schema: SchemaView }) {
  const { type, facts, description, deprecated } = schema;
  return (
    <>
      <span className="breaks">
        <span className={classes["type"]}>{type}</span>
        {deprecated && <Deprecated />}
        {facts.length > 0 && <span className={classes["facts"]}>{facts.join(" · ")}</span>}
      </span>
      {description !== null && <MarkedText text={description} />}
    </>
  );
}

/** @param props.above the schemas that this one is inside of */
function Inside({ scanRunId, opens, above }: { scanRunId: string; opens: string; above: readonly string[] }) {
  const groups = useSchemaGroups(scanRunId, opens);
  if (groups.isLoadingError) return <ErrorAlert error={groups.error} onRetry={() => void groups.refetch()} />;
  const here = [...above, opens];
  return (
    <>
      {(groups.data ?? []).map((group) => (
        <Group key={group.title} group={group} scanRunId={scanRunId} above={here} />
      ))}
    </>
  );
}

function Group(props: { group: SchemaGroup; scanRunId: string; above: readonly string[] }) {
  const { group, scanRunId, above } = props;
  return (
    <div>
      {group.title !== "Properties" && <div className={classes["title"]}>{group.title}</div>}
      <ul className={classes["entries"]} aria-label={group.title}>
        {group.entries.map((entry, index) => (
          <Entry key={index} entry={entry} scanRunId={scanRunId} above={above} />
        ))}
      </ul>
      {group.more > 0 && (
        <Text size="sm" c="dimmed">
          {group.more.toLocaleString(LOCALE)} more are not shown.
        </Text>
      )}
    </div>
  );
}

function Entry(props: { entry: SchemaEntry; scanRunId: string; above: readonly string[] }) {
  const { entry, scanRunId, above } = props;
  const [isOpen, setIsOpen] = useState(false);
  const { name, required, schema } = entry;
  const isRecursive = schema.opens !== null && above.includes(schema.opens);
  const canOpen = schema.opens !== null && !isRecursive;
  const head = (
    <>
      {name !== "" && <Code>{name}</Code>} {required && <Required />}
    </>
  );
  return (
    <li>
      {canOpen ? (
        <button
          type="button"
          className={classes["toggle"]}
          aria-expanded={isOpen}
          onClick={() => setIsOpen(!isOpen)}
        >
          <span aria-hidden className={classes["mark"]}>
            {isOpen ? "▾" : "▸"}
          </span>
          {head}
          <span className={classes["type"]}>{schema.type}</span>
        </button>
      ) : (
        <span className={classes["leaf"]}>
          {head}
          <span className={classes["type"]}>{schema.type}</span>
        </span>
      )}
      {isRecursive && <span className={classes["facts"]}>recursive: shown above</span>}
      {schema.deprecated && <Deprecated />}
      {schema.facts.length > 0 && (
        <span className={`${classes["facts"]} breaks`}>{schema.facts.join(" · ")}</span>
      )}
      {schema.description !== null && (
        <div className={classes["text"]}>
          <MarkedText text={schema.description} />
        </div>
      )}
      {isOpen && schema.opens !== null && <Inside scanRunId={scanRunId} opens={schema.opens} above={above} />}
    </li>
  );
}

export function Required() {
  return <span className={classes["required"]}>required</span>;
}

export function Deprecated() {
  return (
    <Badge color="gray.7" size="sm" ml={6}>
      deprecated
    </Badge>
  );
}
