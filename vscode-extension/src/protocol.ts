/** The messages beyond LSP that agentl_server and this client exchange (docs/editor-protocol.md). */

export const clientAbilities = { runOutput: true, runChanged: true, inspect: true } as const;

export const serverCommand = {
  run: "agentl.run",
  resume: "agentl.resume",
  inspect: "agentl.inspect",
  stop: "agentl.stop",
} as const;

/** A run that the server has started: the reply to `agentl.run` and `agentl.resume`. */
export interface StartedRun {
  readonly directory: string;
  readonly runId: string | null;
  readonly pid: number;
}

/** A journal as a document: the reply to `agentl.inspect`. */
export interface JournalText {
  readonly title: string;
  readonly text: string;
  readonly languageId: string;
}

/** `agentl/runChanged`: where a run stands now. The program is its path, when it is known. */
export interface RunChanged {
  readonly directory: string;
  readonly program: string | null;
  readonly runId: string;
  readonly state: string;
  readonly entries: number;
  readonly openIntents: number;
  readonly inDoubt: number;
}

/** `agentl/runOutput`: what the process of a run has written. */
export interface RunOutput {
  readonly directory: string;
  readonly text: string;
}

type Shape = Readonly<Record<string, "string" | "number">>;

function has(value: unknown, shape: Shape): boolean {
  if (typeof value !== "object" || value === null) return false;
  const fields = value as Record<string, unknown>;
  return Object.entries(shape).every(([name, type]) => typeof fields[name] === type);
}

export function isStartedRun(value: unknown): value is StartedRun {
  return has(value, { directory: "string", pid: "number" });
}

export function isJournalText(value: unknown): value is JournalText {
  return has(value, { title: "string", text: "string", languageId: "string" });
}

export function isRunChanged(value: unknown): value is RunChanged {
  return has(value, {
    directory: "string",
    runId: "string",
    state: "string",
    entries: "number",
    openIntents: "number",
    inDoubt: "number",
  });
}

export function isRunOutput(value: unknown): value is RunOutput {
  return has(value, { directory: "string", text: "string" });
}
