/** What the client knows of the runs: the last state of each, and one output channel for each that wrote something. */

import * as path from "node:path";
import * as vscode from "vscode";
import type { RunChanged, RunOutput } from "./protocol";

export class Runs implements vscode.Disposable {
  private readonly states = new Map<string, RunChanged>();
  private readonly channels = new Map<string, vscode.OutputChannel>();
  private readonly changed = new vscode.EventEmitter<RunChanged>();
  readonly onDidChange = this.changed.event;

  all(): readonly RunChanged[] {
    return [...this.states.values()];
  }

  /** Forgets the states; a new server tells them again. */
  forget(): void {
    this.states.clear();
  }

  note(run: RunChanged): void {
    this.states.set(run.directory, run);
    this.changed.fire(run);
  }

  write(output: RunOutput): void {
    this.channel(output.directory).append(output.text);
  }

  show(directory: string): void {
    this.channel(directory).show(true);
  }

  dispose(): void {
    this.changed.dispose();
    for (const channel of this.channels.values()) channel.dispose();
  }

  private channel(directory: string): vscode.OutputChannel {
    const known = this.channels.get(directory);
    if (known) return known;
    const channel = vscode.window.createOutputChannel(`agentl · ${shortName(directory)}`);
    this.channels.set(directory, channel);
    return channel;
  }
}

/** Returns a run directory as a person names it: "payments" for runs/payments, "shop/payments" for shop/runs/payments. */
export function shortName(directory: string): string {
  const relative = vscode.workspace.asRelativePath(directory, false);
  const parts = path.isAbsolute(relative) ? relative.split(path.sep).slice(-2) : relative.split("/");
  return parts.filter((part, index) => part !== "runs" || index === parts.length - 1).join("/");
}
