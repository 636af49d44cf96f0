/** The language server's process and the connection to it. */

import * as vscode from "vscode";
import {
  type ClientCapabilities,
  ExecuteCommandRequest,
  LanguageClient,
  State,
  type StaticFeature,
} from "vscode-languageclient/node";
import { inParts } from "./hovers";
import { type Choice, choose } from "./interpreter";
import { clientAbilities, isRunChanged, isRunOutput } from "./protocol";
import { OneAtATime } from "./restarts";
import type { Runs } from "./runs";
import { logLines } from "./serverLog";
import type { Status } from "./status";

/** Sees every server command that a lens, a code action or the palette executes; `send` forwards it unchanged. */
export type CommandGate = (command: string, argument: unknown, send: () => Promise<unknown>) => Promise<unknown>;

const abilities: StaticFeature = {
  fillClientCapabilities(capabilities: ClientCapabilities): void {
    capabilities.experimental = { ...(capabilities.experimental as object), agentl: clientAbilities };
  },
  initialize: () => undefined,
  getState: () => ({ kind: "static" }),
  clear: () => undefined,
};

export class Server implements vscode.Disposable {
  private client: LanguageClient | undefined;
  private readonly restarts = new OneAtATime(() => this.restartOnce());
  /** The interpreter of the last start, with the reason and the problem, if any. */
  choice: Choice | undefined;

  constructor(
    private readonly log: vscode.LogOutputChannel,
    private readonly status: Status,
    private readonly runs: Runs,
    private readonly gate: CommandGate,
  ) {}

  /** Starts the server, or stops it and starts it anew with what the settings say now. */
  restart(): Promise<void> {
    return this.restarts.request();
  }

  isRunning(): boolean {
    return this.client?.isRunning() ?? false;
  }

  get version(): string {
    return this.client?.initializeResult?.serverInfo?.version ?? "";
  }

  get processId(): number | undefined {
    return this.client?.serverProcess?.pid;
  }

  /** Executes a server command directly: nothing is shown, and failures are the caller's. */
  async ask(command: string, argument: object): Promise<unknown> {
    return this.client?.sendRequest(ExecuteCommandRequest.type, { command, arguments: [argument] });
  }

  async stop(): Promise<void> {
    const client = this.client;
    this.client = undefined;
    await client?.dispose().catch((error: unknown) => this.log.warn(`The server did not stop cleanly: ${String(error)}`));
  }

  dispose(): void {
    void this.stop();
  }

  private async restartOnce(): Promise<void> {
    this.status.starting();
    await this.stop();
    this.runs.forget();
    this.status.showRuns([]);
    this.choice = await choose(this.log);
    const { candidate, version, problem } = this.choice;
    if (problem || !candidate) {
      this.status.unusable(this.choice);
      this.log.error(problem ?? "");
      void this.offerRemedy(problem ?? "");
      return;
    }
    this.log.info(`Starting ${candidate.python} -P -m agentl_server`);
    const client = this.connect(candidate.python);
    this.client = client;
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running) this.status.ready(candidate, version ?? "", this.version);
      if (newState === State.Starting) this.status.starting();
      // After stop() this client is no longer ours: its end is no news.
      if (newState === State.Stopped && this.client === client) this.status.stopped("The log says why.");
    });
    await client.start().catch((error: unknown) => {
      this.status.stopped(String(error));
      this.log.error(`The server did not start: ${String(error)}`);
    });
  }

  private connect(python: string): LanguageClient {
    const settings = vscode.workspace.getConfiguration("agentl");
    const client = new LanguageClient(
      "agentl",
      "agentl",
      // -P: the opened folder is not put on the module path, so nothing in it can stand in for the server.
      { command: python, args: ["-P", "-m", "agentl_server"] },
      {
        documentSelector: [{ language: "agentl", scheme: "file" }],
        outputChannel: this.log,
        stdioOptions: { stdout: () => undefined, stderr: logLines },
        initializationOptions: {
          interpreter: python,
          runs: settings.get("runs"),
          features: settings.get("features"),
        },
        middleware: {
          provideHover: async (document, position, token, next) => {
            const hover = await next(document, position, token);
            return hover && inParts(hover);
          },
          executeCommand: (command, args, next) =>
            this.gate(command, args[0], () => Promise.resolve(next(command, args) as unknown)),
        },
      },
    );
    client.registerFeature(abilities);
    this.listen(client);
    return client;
  }

  private listen(client: LanguageClient): void {
    client.onNotification("agentl/runChanged", (message: unknown) => {
      if (!isRunChanged(message)) return this.log.warn("agentl/runChanged has an unknown form", message);
      this.runs.note(message);
      this.status.showRuns(this.runs.all());
    });
    client.onNotification("agentl/runOutput", (message: unknown) => {
      if (!isRunOutput(message)) return this.log.warn("agentl/runOutput has an unknown form", message);
      this.runs.write(message);
    });
  }

  private async offerRemedy(problem: string): Promise<void> {
    const chooseInterpreter = "Choose Interpreter…";
    const openReadme = "How to Install";
    const answer = await vscode.window.showErrorMessage(
      `The agentl language server is not running. ${problem}`,
      chooseInterpreter,
      openReadme,
    );
    if (answer === chooseInterpreter) await vscode.commands.executeCommand("agentl.chooseInterpreter");
    if (answer === openReadme) await vscode.commands.executeCommand("extension.open", "agentl.agentl");
  }
}
