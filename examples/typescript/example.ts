// A memory from TypeScript: every path, body and answer is typed by the server's own description.
import createClient from "openapi-fetch";
import type { paths } from "./hexad.js";

const token = ""; // of `hexad tokens make`, once you have made one
const hexad = createClient<paths>({
  baseUrl: "http://127.0.0.1:8765/api/v1",
  headers: { Authorization: `Bearer ${token}` },
});

const { data: entry, error } = await hexad.PUT("/knowledge/{key}", {
  params: { path: { key: "deploy-window" } },
  body: { content: "Deploy on Tuesdays and Thursdays only", category: "rule" },
});
if (error) throw new Error(error.detail);
console.log(`${entry.key}, version ${entry.version}`);

const { data: page } = await hexad.GET("/knowledge", { params: { query: { query: "deploy", limit: 5 } } });
for (const each of page?.items ?? []) console.log(`- [${each.category}] ${each.key}: ${each.content}`);

const { data: prompt } = await hexad.POST("/prompt", { body: { message: "May I deploy today?", budget: 500 } });
console.log(`${prompt?.tokens} tokens, ${prompt?.standing.length} standing:\n${prompt?.text}`);

const { data: why } = await hexad.POST("/explain", { body: { message: "May I deploy today?" } });
for (const [layer, found] of Object.entries(why?.candidates ?? {})) {
  for (const each of found) console.log(`${layer} ${each.key} ${each.score.toFixed(2)}: ${each.verdict}`);
}
