const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = () => {
  const settings = workspace.getConfiguration("mem");
  const command = settings.get("path");
  const options = {
    documentSelector: [{ scheme: "file", language: "markdown" }],
    initializationOptions: { updateListsOnSave: settings.get("updateListsOnSave") },
  };
  client = new LanguageClient("mem", "mem", { command, args: ["lsp"] }, options);
  return client.start();
};

exports.deactivate = () => client?.stop();
