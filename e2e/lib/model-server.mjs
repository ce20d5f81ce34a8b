// An OpenAI-compatible chat server on loopback whose models are scripts.
//
// A conversation names its script in a user message: `[script:NAME]`. The
// newest mention wins, and the script is called once per request with the
// turns it has already taken since that mention, so the server keeps no state
// and any number of sessions may share it.
import { createServer } from "node:http";

/** The text of one message, whatever form its content has. */
export function textOf(message) {
  if (typeof message.content === "string") return message.content;
  if (!Array.isArray(message.content)) return "";
  return message.content.map((part) => part.text ?? "").join("");
}

/**
 * Starts the server.
 *
 * `scripts` maps a name to a list of turns or to a function
 * `({turn, messages, results, tools}) => turn`. A turn is a string (the model
 * says it and stops) or a list of calls `[tool, input]`.
 */
export async function startModelServer(scripts) {
  const requests = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8");
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      if (request.method !== "POST") {
        response.writeHead(200, { "content-type": "application/json" });
        response.end(JSON.stringify({ object: "list", data: [{ id: "script", object: "model" }] }));
        return;
      }
      try {
        answer(JSON.parse(body), response);
      } catch (error) {
        response.writeHead(500, { "content-type": "application/json" });
        response.end(JSON.stringify({ error: { message: String(error?.stack ?? error) } }));
      }
    });
  });

  function answer(body, response) {
    const messages = body.messages ?? [];
    let name;
    let from = -1;
    messages.forEach((message, index) => {
      const found = message.role === "user" && /\[script:([\w-]+)\]/.exec(textOf(message));
      if (found) {
        name = found[1];
        from = index;
      }
    });
    const since = messages.slice(from + 1);
    const turn = since.filter((message) => message.role === "assistant").length;
    const results = since.filter((message) => message.role === "tool").map(textOf);
    const tools = (body.tools ?? []).map((tool) => tool.function?.name);
    const system = messages
      .filter((message) => message.role === "system" || message.role === "developer")
      .map(textOf)
      .join("\n");
    const script = scripts[name];
    let step;
    if (typeof script === "function") step = script({ turn, messages, results, tools, system });
    else if (Array.isArray(script)) step = script[turn];
    step ??= "done";
    requests.push({ script: name, turn, results, tools, system, messages });
    stream(response, body.model, step);
  }

  function stream(response, model, step) {
    response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
    const send = (delta, finish = null) =>
      response.write(
        `data: ${JSON.stringify({
          id: "chatcmpl-script",
          object: "chat.completion.chunk",
          created: 0,
          model,
          choices: [{ index: 0, delta, finish_reason: finish }],
        })}\n\n`,
      );
    send({ role: "assistant", content: "" });
    if (typeof step === "string") {
      send({ content: step });
      send({}, "stop");
    } else {
      step.forEach(([tool, input], index) => {
        send({
          tool_calls: [
            {
              index,
              id: `call_${Math.random().toString(36).slice(2, 12)}`,
              type: "function",
              function: { name: tool, arguments: JSON.stringify(input) },
            },
          ],
        });
      });
      send({}, "tool_calls");
    }
    response.write(
      `data: ${JSON.stringify({
        id: "chatcmpl-script",
        object: "chat.completion.chunk",
        created: 0,
        model,
        choices: [],
        usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
      })}\n\n`,
    );
    response.end("data: [DONE]\n\n");
  }

  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  return {
    scripts,
    requests,
    url: `http://127.0.0.1:${port}/v1`,
    /** What the model of `script` was last shown: the results of its calls. */
    resultsOf(script) {
      return requests.filter((request) => request.script === script).at(-1)?.results ?? [];
    },
    close() {
      server.closeAllConnections();
      return new Promise((done) => server.close(done));
    },
  };
}
