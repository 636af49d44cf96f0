/** Entry point: makes the parts, connects them, and registers the commands. */

import * as vscode from "vscode";
import { type CommandGate, Server } from "./client";
import * as commands from "./commands";
import { debugInformation } from "./debug";
import { VirtualDocuments } from "./documents";
import { pythonApi } from "./interpreter";
import { Journals } from "./journals";
import { isJournalText, isStartedRun, serverCommand } from "./protocol";
import { Runs } from "./runs";
import { Status } from "./status";

const needTrust: readonly string[] = [serverCommand.run, serverCommand.resume, serverCommand.stop];
const restartSettings = ["agentl.interpreter", "agentl.runs", "agentl.features"];

let server: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel("agentl", { log: true });
  const status = new Status();
  const runs = new Runs();
  const documents = new VirtualDocuments();
  const started = new Server(log, status, runs, (command, argument, send) => gate(command, argument, send));
  const journals = new Journals(documents, (directory) => started.ask(serverCommand.inspect, { directory }), log, runs);
  server = started;

  const gate: CommandGate = async (command, argument, send) => {
    if (needTrust.includes(command) && !vscode.workspace.isTrusted) return commands.explainTrust();
    if (command === serverCommand.run || command === serverCommand.resume) await commands.saveProgram(argument);
    const reply = await send();
    if (isStartedRun(reply)) runs.show(reply.directory);
    if (isJournalText(reply)) await journals.show((argument as { directory: string }).directory, reply);
    return reply;
  };

  const register = (name: string, action: (...args: never[]) => unknown): vscode.Disposable =>
    vscode.commands.registerCommand(`agentl.${name}`, action);
  context.subscriptions.push(
    log,
    status,
    runs,
    documents,
    journals,
    started,
    register("runProgram", (uri?: vscode.Uri) => commands.runProgram(started, uri)),
    register("resumeRun", () => commands.resumeRun(started, runs)),
    register("inspectRun", () => commands.inspectRun(started, runs)),
    register("stopRun", () => commands.stopRun(started, runs)),
    register("chooseInterpreter", () => commands.chooseInterpreter(log)),
    register("restartServer", () => started.restart()),
    register("showLog", () => log.show()),
    register("showDebugInformation", () => {
      const text = debugInformation(context.extension, started, runs);
      const address = documents.address("agentl debug information", "debug");
      return documents.show(address, text, "markdown", vscode.ViewColumn.Active);
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => started.restart()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (restartSettings.some((setting) => change.affectsConfiguration(setting))) void started.restart();
    }),
  );
  await started.restart();
  await followPythonExtension(context, started, log);
}

/** Restarts when the Python extension's choice changes and that choice is the one in force. */
async function followPythonExtension(
  context: vscode.ExtensionContext,
  started: Server,
  log: vscode.LogOutputChannel,
): Promise<void> {
  const api = await pythonApi(log);
  if (!api) return;
  context.subscriptions.push(
    api.environments.onDidChangeActiveEnvironmentPath(() => {
      if (started.choice?.candidate?.origin !== "setting") void started.restart();
    }),
  );
}

export async function deactivate(): Promise<void> {
  await server?.stop();
}
