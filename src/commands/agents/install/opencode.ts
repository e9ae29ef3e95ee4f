export const Mem = async () => {
  const texts = new Map();
  const add = async (event, session, prompt) => {
    const text = await hook(event, session, prompt);
    if (text) texts.get(session).push(text);
  };
  return {
    "chat.message": async (input, output) => {
      const session = input.sessionID;
      if (!texts.has(session)) {
        texts.set(session, []);
        await add("session-start", session);
      }
      const parts = output.parts.filter((part) => part.type === "text" && !part.synthetic);
      await add("prompt", session, parts.map((part) => part.text).join("\n"));
    },
    "experimental.chat.system.transform": async (input, output) => {
      const found = texts.get(input.sessionID) ?? [];
      if (found.length > 0) output.system.push(found.join("\n\n"));
    },
  };
};
