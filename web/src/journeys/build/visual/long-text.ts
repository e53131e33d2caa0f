// By itself, so that only journeys with long texts load it.
export { Textarea } from "@mantine/core";
