/** The commands of the palette. They choose a program or a run and hand it to the server's own commands. */

import * as vscode from "vscode";
import type { Server } from "./client";
import { candidates, environments, examine, reasonFor } from "./interpreter";
import { type RunChanged, serverCommand } from "./protocol";
import { type Runs, shortName } from "./runs";

const endedStates = ["completed", "cancelled"];

/** Says why nothing runs here, with the way out. */
export async function explainTrust(): Promise<void> {
  const manage = "Manage Workspace Trust";
  const answer = await vscode.window.showWarningMessage(
    "Programs are not run in a folder that is not trusted: a run executes the host script beside the program.",
    manage,
  );
  if (answer === manage) await vscode.commands.executeCommand("workbench.trust.manage");
}

/** Saves the program that a command is about to run: what runs is the file. */
export async function saveProgram(argument: unknown): Promise<void> {
  const { uri } = argument as { uri: string };
  const document = vscode.workspace.textDocuments.find((open) => open.uri.toString() === vscode.Uri.parse(uri).toString());
  if (document?.isDirty) await document.save();
}

/** Executes a command that the server has registered; says so when there is no server. */
async function forward(server: Server, command: string, argument: object): Promise<void> {
  if (server.isRunning()) {
    await vscode.commands.executeCommand(command, argument);
    return;
  }
  const restart = "Restart Language Server";
  const answer = await vscode.window.showErrorMessage("The agentl language server is not running.", restart);
  if (answer === restart) await server.restart();
}

async function chooseProgram(): Promise<vscode.Uri | undefined> {
  const active = vscode.window.activeTextEditor?.document;
  if (active?.languageId === "agentl") return active.uri;
  const programs = await vscode.workspace.findFiles("**/*.agent", undefined, 200);
  const items = programs.map((uri) => ({ label: vscode.workspace.asRelativePath(uri), uri }));
  return (await vscode.window.showQuickPick(items, { title: "Run which program?" }))?.uri;
}

/** Runs the program of the active editor (`uri` when called from its title bar), or one that is picked. */
export async function runProgram(server: Server, uri?: vscode.Uri): Promise<void> {
  const program = uri ?? (await chooseProgram());
  if (program) await forward(server, serverCommand.run, { uri: program.toString() });
}

interface RunItem extends vscode.QuickPickItem {
  readonly run: RunChanged;
}

function count(number: number, one: string, many: string): string {
  return `${number} ${number === 1 ? one : many}`;
}

function describe(run: RunChanged): RunItem {
  const facts = [run.state, count(run.entries, "entry", "entries")];
  if (run.openIntents > 0) facts.push(count(run.openIntents, "open intent", "open intents"));
  if (run.inDoubt > 0) facts.push(`${run.inDoubt} in doubt`);
  return { label: shortName(run.directory), description: run.runId, detail: facts.join(" · "), run };
}

async function pickRun(runs: readonly RunChanged[], title: string, none: string): Promise<RunChanged | undefined> {
  if (runs.length === 0) {
    void vscode.window.showInformationMessage(none);
    return undefined;
  }
  if (runs.length === 1) return runs[0];
  return (await vscode.window.showQuickPick(runs.map(describe), { title, matchOnDetail: true }))?.run;
}

export async function resumeRun(server: Server, runs: Runs): Promise<void> {
  const open = runs.all().filter((run) => run.state !== "running" && !endedStates.includes(run.state));
  const run = await pickRun(open, "Resume which run?", "There is no run to resume.");
  const program = run?.program ? vscode.Uri.file(run.program) : run && (await chooseProgram());
  if (run && program) await forward(server, serverCommand.resume, { uri: program.toString(), directory: run.directory });
}

export async function inspectRun(server: Server, runs: Runs): Promise<void> {
  const run = await pickRun(runs.all(), "Inspect which run?", "There is no run to inspect.");
  if (run) await forward(server, serverCommand.inspect, { directory: run.directory });
}

export async function stopRun(server: Server, runs: Runs): Promise<void> {
  const running = runs.all().filter((run) => run.state === "running");
  const run = await pickRun(running, "Stop which run?", "No run is running.");
  if (run) await forward(server, serverCommand.stop, { directory: run.directory });
}

/** Lets a person choose among the interpreters on offer, each with what it can do, or browse for another. */
export async function chooseInterpreter(log: vscode.LogOutputChannel): Promise<void> {
  const all = [...(await candidates(log)), ...(await environments())];
  const choices = await Promise.all(all.map(examine));
  const offered = choices.flatMap(({ candidate, version, problem }) =>
    candidate
      ? [{ label: candidate.python, description: reasonFor(candidate), detail: problem ?? `Python ${version} with agentl` }]
      : [],
  );
  const browse = { label: "$(folder-opened) Browse…", description: "", detail: "" };
  const title = "Which Python serves the editor and runs the programs?";
  const answer = await vscode.window.showQuickPick([...offered, browse], { title });
  const python = answer === browse ? await browseForPython() : answer?.label;
  if (!python) return;
  // A folder that is not trusted has no say in the interpreter, so its settings are no place for one.
  const hasFolder = (vscode.workspace.workspaceFolders ?? []).length > 0;
  const target = hasFolder && vscode.workspace.isTrusted ? vscode.ConfigurationTarget.Workspace : vscode.ConfigurationTarget.Global;
  await vscode.workspace.getConfiguration("agentl").update("interpreter", python, target);
}

async function browseForPython(): Promise<string | undefined> {
  const [file] = (await vscode.window.showOpenDialog({ openLabel: "Use this Python" })) ?? [];
  return file?.fsPath;
}
