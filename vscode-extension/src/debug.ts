/** All that a report of a problem needs, in one document. */

import * as vscode from "vscode";
import type { Server } from "./client";
import { reasonFor } from "./interpreter";
import type { Runs } from "./runs";
import { countStates } from "./status";

function rows(facts: ReadonlyArray<readonly [string, string]>): string {
  return ["| | |", "|---|---|", ...facts.map(([name, value]) => `| ${name} | ${value} |`)].join("\n");
}

/** Returns the debug information as Markdown. It holds paths of this machine and no content of programs or journals. */
export function debugInformation(extension: vscode.Extension<unknown>, server: Server, runs: Runs): string {
  const { choice } = server;
  const python = extension.packageJSON as { version: string };
  const settings = vscode.workspace.getConfiguration("agentl");
  return [
    "# agentl: debug information\n",
    rows([
      ["extension", python.version],
      ["editor", `${vscode.env.appName} ${vscode.version} (${vscode.env.appHost})`],
      ["platform", `${process.platform} ${process.arch}, node ${process.versions.node}`],
      ["workspace", vscode.workspace.isTrusted ? "trusted" : "not trusted: programs are not run"],
      ["interpreter", choice?.candidate?.python ?? "none"],
      ["chosen because", choice?.candidate ? `${reasonFor(choice.candidate)}` : "–"],
      ["Python", choice?.version ?? "unknown"],
      ["problem", choice?.problem ?? "none"],
      ["server", server.isRunning() ? `running, ${server.version}, process ${server.processId}` : "not running"],
      ["runs", countStates(runs.all()) || "none"],
    ]),
    "\n## Settings\n",
    "```json",
    JSON.stringify({ interpreter: settings.get("interpreter"), runs: settings.get("runs"), trace: settings.get("trace.server") }, null, 2),
    "```\n",
  ].join("\n");
}
