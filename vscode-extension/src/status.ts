/** What the language status item of the editor says: server, interpreter and its reason; open runs. */

import * as vscode from "vscode";
import { type Candidate, type Choice, reasonFor } from "./interpreter";
import type { RunChanged } from "./protocol";

const selector: vscode.DocumentSelector = { language: "agentl" };

const chooseInterpreter: vscode.Command = { command: "agentl.chooseInterpreter", title: "Choose Interpreter" };
const restartServer: vscode.Command = { command: "agentl.restartServer", title: "Restart" };
const inspectRun: vscode.Command = { command: "agentl.inspectRun", title: "Inspect" };

/** Returns "1 interrupted, 2 running", the states in the order in which they first appear. */
export function countStates(runs: readonly RunChanged[]): string {
  const counts = new Map<string, number>();
  for (const run of runs) counts.set(run.state, (counts.get(run.state) ?? 0) + 1);
  return [...counts].map(([state, count]) => `${count} ${state}`).join(", ");
}

export class Status implements vscode.Disposable {
  private readonly server = vscode.languages.createLanguageStatusItem("agentl.server", selector);
  private readonly runs = vscode.languages.createLanguageStatusItem("agentl.runs", selector);

  constructor() {
    this.server.name = "agentl language server";
    this.runs.name = "agentl runs";
    this.showRuns([]);
    this.starting();
  }

  starting(): void {
    this.show("agentl: starting", "", vscode.LanguageStatusSeverity.Information, undefined);
    this.server.busy = true;
  }

  ready(candidate: Candidate, python: string, server: string): void {
    const detail = `Python ${python}, ${reasonFor(candidate)}: ${candidate.python}`;
    this.show(`agentl ${server}`, detail, vscode.LanguageStatusSeverity.Information, chooseInterpreter);
  }

  /** The server cannot run with this interpreter. */
  unusable(choice: Choice): void {
    const text = "agentl: no usable Python";
    this.show(text, choice.problem ?? "", vscode.LanguageStatusSeverity.Error, chooseInterpreter);
  }

  stopped(why: string): void {
    this.show("agentl: server stopped", why, vscode.LanguageStatusSeverity.Error, restartServer);
  }

  showRuns(runs: readonly RunChanged[]): void {
    const doubts = runs.reduce((sum, run) => sum + run.inDoubt, 0);
    this.runs.text = runs.length > 0 ? `runs: ${countStates(runs)}` : "no runs";
    this.runs.detail = doubts > 0 ? `${doubts} in doubt` : "";
    this.runs.severity = doubts > 0 ? vscode.LanguageStatusSeverity.Warning : vscode.LanguageStatusSeverity.Information;
    this.runs.command = runs.length > 0 ? inspectRun : undefined;
  }

  dispose(): void {
    this.server.dispose();
    this.runs.dispose();
  }

  private show(
    text: string,
    detail: string,
    severity: vscode.LanguageStatusSeverity,
    command: vscode.Command | undefined,
  ): void {
    Object.assign(this.server, { busy: false, text, detail, severity, command });
  }
}
