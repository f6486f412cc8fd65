// A call made with the client of the TypeScript SDK: `COMMAND...`.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "benchmark", version: "1" });
await client.connect(new StdioClientTransport({ command, args, stderr: "ignore" }));
await client.listTools();
const result = await client.callTool({ name: "find", arguments: { email: "a@b.c" } });
const texts = result.content.map((item) => item.text);
console.log(JSON.stringify({ texts, structured: result.structuredContent }));
await client.close();
