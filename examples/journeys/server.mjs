// A server to run the journey beside it against: `node examples/journeys/server.mjs [port] [address]`. Its notes live in memory, and
// whoever sends the token `let-me-in` may change them. `npm start` runs it too.
import { createServer } from "node:http";

const notes = new Map();
let count = 0;

const server = createServer((request, response) => {
  let text = "";
  request.on("data", (chunk) => (text += chunk));
  request.on("end", () => {
    const [status, body] = answer(request, text);
    response.writeHead(status, body ? { "content-type": "application/json" } : {});
    response.end(body && JSON.stringify(body));
  });
});

function answer({ method, url, headers }, text) {
  if (headers.authorization !== "Bearer let-me-in") return [401, { error: "who are you?" }];
  const [, collection, id] = new URL(url, "http://notes").pathname.split("/");
  if (collection !== "notes") return [404, { error: "there is no such path" }];
  if (id === undefined)
    return method === "POST" ? add(JSON.parse(text)) : [200, { notes: [...notes.values()] }];
  const note = notes.get(id);
  if (note === undefined) return [404, { error: "there is no such note" }];
  if (method === "DELETE") {
    notes.delete(id);
    return [204];
  }
  if (method === "PUT") Object.assign(note, JSON.parse(text), { revision: note.revision + 1 });
  return [200, note];
}

function add({ title, stars }) {
  const note = { id: `n${++count}`, title, stars, revision: 1 };
  notes.set(note.id, note);
  return [201, note];
}

server.once("error", ({ code, message }) => {
  const isTaken = code === "EADDRINUSE";
  process.stderr.write(
    `${isTaken ? "The port is in use: npm start runs this server already, on 8077." : message}\n`,
  );
  process.exitCode = 1;
});
server.listen(Number(process.argv[2] ?? 8077), process.argv[3] ?? "127.0.0.1", () => {
  process.stdout.write(`Notes: http://127.0.0.1:${server.address().port}\n`);
});
