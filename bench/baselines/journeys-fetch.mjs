// The floor of a whole process: a script with the journey's five requests and nothing else.
const url = process.argv[2];

async function call(method, path, wanted, body) {
  const response = await fetch(url + path, {
    method,
    headers: body ? { "content-type": "application/json" } : {},
    ...(body && { body: JSON.stringify(body) }),
  });
  if (response.status !== wanted) throw new Error(`${method} ${path}: ${response.status}`);
  return wanted === 204 ? undefined : response.json();
}

const { id, name } = await call("POST", "/things", 201, { name: "widget", price: 10 });
if (name !== "widget") throw new Error("another name");
await call("GET", `/things/${id}`, 200);
const { price } = await call("PUT", `/things/${id}`, 200, { name: "widget", price: 12 });
if (price !== 12) throw new Error("another price");
await call("GET", "/things?limit=50", 200);
await call("DELETE", `/things/${id}`, 204);
console.log("passed");
