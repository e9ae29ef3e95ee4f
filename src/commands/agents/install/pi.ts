export default function (pi) {
  const started = new Set();
  pi.on("before_agent_start", async (event, context) => {
    const session = context?.sessionManager?.getSessionId?.() ?? "";
    const texts = [];
    if (!started.has(session)) {
      started.add(session);
      texts.push(await hook("session-start", session));
    }
    texts.push(await hook("prompt", session, event.prompt));
    const content = texts.filter((text) => text).join("\n\n");
    if (content) return { message: { customType: "mem", content, display: false } };
  });
}
