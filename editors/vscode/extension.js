const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const command = workspace.getConfiguration("mem").get("path");
  const options = { documentSelector: [{ scheme: "file", language: "markdown" }] };
  client = new LanguageClient("mem", "mem", { command, args: ["lsp"] }, options);
  return client.start();
};

exports.deactivate = () => client?.stop();
