import type { OperationName } from "@waymark/contract-diff/verdict.ts";
import { Description } from "@waymark/contract-diff/read/description.ts";
import { dialectOf } from "@waymark/contract-diff/read/dialect.ts";
import { listOperations } from "@waymark/contract-diff/read/list-operations.ts";
import type { Operation } from "@waymark/contract-diff/read/operation.ts";
import { type JsonValue, isObject, ownArray, ownObject, ownString, ownValue } from "@waymark/openapi/json.ts";
import type { Answers, DescriptionIndex, OperationView, Question } from "./messages.ts";
import { readPart } from "./read-part.ts";
import { summaryOf, viewOf } from "./read-operation.ts";
import { SchemaReader } from "./read-schema.ts";

const SCHEMAS_MAX = 5000;

/** A description that answers questions about it. It is read once, and its operations and schemas when they are asked for. */
export class ReadableDescription {
  readonly #description: Description;
  readonly #schemas: SchemaReader;
  readonly #operations: ReadonlyMap<string, Operation>;

  /** @param root the canonical description, parsed */
  constructor(root: JsonValue) {
    const version = ownValue(root, "openapi") ?? "";
    const dialect = dialectOf(root, typeof version === "string" ? version : JSON.stringify(version));
    this.#description = new Description([{ name: "", value: root, text: "", duplicateKeys: [] }], dialect);
    this.#schemas = new SchemaReader(this.#description);
    this.#operations = new Map(listOperations(this.#description).map((one) => [keyOf(one), one]));
  }

  answer(question: Question): Answers[Question["ask"]] {
    if (question.ask === "index") return this.#index();
    if (question.ask === "schema") return this.#groups(question.schema);
    if (question.ask === "part") return readPart(this.#description.root, question);
    return this.#operation(question.name);
  }

  #groups(schema: string): Answers["schema"] {
    const known = this.#schemas.groups(schema);
    if (known !== undefined) return known;
    // It is a form, which the view of its operation names.
    for (const operation of this.#operations.values()) viewOf(this.#description, this.#schemas, operation);
    return this.#schemas.groups(schema) ?? [];
  }

  #index(): DescriptionIndex {
    const { root } = this.#description;
    const info = ownObject(root, "info") ?? {};
    const operations = [...this.#operations.values()];
    const summaries = operations.map(summaryOf);
    const [first] = operations;
    return {
      title: ownString(info, "title") ?? "",
      version: ownString(info, "version") ?? "",
      language: languageOf(root),
      description: ownString(info, "description") ?? ownString(info, "summary") ?? null,
      servers:
        first === undefined ? [] : [...first.servers.addresses].filter((one) => one !== "").slice(0, 20),
      tags: tagsOf(
        root,
        summaries.flatMap(({ tags }) => tags),
      ),
      operations: summaries,
      schemas: this.#components(),
    };
  }

  #components(): DescriptionIndex["schemas"] {
    const description = this.#description;
    const root = description.rootAt();
    const at =
      description.dialect === "2.0"
        ? description.member(root, "definitions")
        : description.member(description.member(root, "components"), "schemas");
    if (at === undefined || !isObject(at.value)) return [];
    return Object.keys(at.value)
      .slice(0, SCHEMAS_MAX)
      .flatMap((name) => {
        const child = description.child(at, name);
        return child === undefined ? [] : [{ name, schema: this.#schemas.view([description.node(child)]) }];
      });
  }

  #operation(name: OperationName): OperationView | null {
    const operation = this.#operations.get(keyOf(name));
    return operation === undefined ? null : viewOf(this.#description, this.#schemas, operation);
  }
}

function keyOf({ method, path, kind }: OperationName): string {
  return `${kind} ${method} ${path}`;
}

function languageOf(root: JsonValue): string {
  const swagger = ownValue(root, "swagger");
  const [name, version] =
    swagger === undefined ? ["OpenAPI", ownValue(root, "openapi")] : ["Swagger", swagger];
  return `${name} ${typeof version === "string" || typeof version === "number" ? version : ""}`.trim();
}

function tagsOf(root: JsonValue, used: readonly string[]): DescriptionIndex["tags"] {
  const tags = new Map<string, { name: string; description: string | null }>();
  for (const tag of ownArray(root, "tags")) {
    const name = ownString(tag, "name");
    if (name !== undefined) tags.set(name, { name, description: ownString(tag, "description") ?? null });
  }
  for (const name of used) if (!tags.has(name)) tags.set(name, { name, description: null });
  return [...tags.values()];
}
