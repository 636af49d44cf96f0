/** What the server writes to stderr, in the log at the level that it was written with. */

import * as readline from "node:readline";
import type { Readable } from "node:stream";
import type * as vscode from "vscode";

type Level = "debug" | "info" | "warn" | "error";

const levels: Readonly<Record<string, Level>> = {
  DEBUG: "debug",
  INFO: "info",
  WARNING: "warn",
  ERROR: "error",
  CRITICAL: "error",
};

/** Logs every line of the stream. A line without a level, as in a traceback, has that of the line before it. */
export function logLines(stream: Readable, log: vscode.LogOutputChannel): void {
  let level: Level = "error";
  readline.createInterface({ input: stream }).on("line", (line) => {
    const [, word, rest] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    const found = levels[word ?? ""];
    level = found ?? level;
    log[level](found ? (rest ?? "") : line);
  });
}
