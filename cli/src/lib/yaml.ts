// To be imported late: a static import here, because a bundled `import("yaml")` of that CommonJS package has no names.
export { parse, YAMLParseError } from "yaml";
