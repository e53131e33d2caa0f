/** The linter finds that `id` is not defined, which is high, and that there is no server, which is medium. */
export const LINTED_SPEC = JSON.stringify({
  openapi: "3.1.0",
  info: { title: "T", version: "1", license: { name: "MIT", url: "https://example.test" } },
  security: [],
  paths: {
    "/a/{id}": {
      get: {
        operationId: "a",
        summary: "s",
        responses: { 200: { description: "d" }, 400: { description: "d" } },
      },
    },
  },
});
