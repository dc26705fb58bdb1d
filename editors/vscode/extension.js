// Starts `perdure lsp`, and gives it the files that are for Perdure.
const vscode = require('vscode');
const { LanguageClient, TransportKind } = require('vscode-languageclient/node');

const FILES = [
  '**/{definitions,.glee}/**/*.{yml,yaml,json,md}',
  '**/temp-agents/*.md',
  '**/*.{flow,agent}',
  '**/perdure.yml',
  '**/project.json',
];

let client;

exports.activate = async () => {
  const [command, ...args] = vscode.workspace.getConfiguration('perdure').get('command');
  const run = {
    command,
    args,
    transport: TransportKind.stdio,
    options: { cwd: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath },
  };
  client = new LanguageClient('perdure', 'Perdure', run, {
    documentSelector: FILES.map((pattern) => ({ scheme: 'file', pattern })),
  });
  await client.start();
};

exports.deactivate = () => client?.stop();
