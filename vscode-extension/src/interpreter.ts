/** Which Python serves the editor, why that one, and whether it can. */

import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import * as os from "node:os";
import * as path from "node:path";
import * as vscode from "vscode";

/** Who named the interpreter: the first three are asked in this order, an environment of the folder is only offered. */
export type Origin = "setting" | "python-extension" | "path" | "environment";

export interface Candidate {
  readonly python: string;
  readonly origin: Origin;
}

export interface Choice {
  readonly candidate: Candidate | undefined;
  /** The version of the interpreter, when it could be started. */
  readonly version: string | undefined;
  /** Why the language server cannot run with it; undefined when it can. */
  readonly problem: string | undefined;
}

const oldestPython = [3, 11] as const;
const probeTimeoutMs = 20_000;

// `-c` puts the working directory on sys.path: see `probe` for the directory it gets.
const probeProgram = [
  "import importlib.util, json, sys",
  "found = importlib.util.find_spec('agentl_server') is not None",
  "print(json.dumps({'version': list(sys.version_info[:3]), 'server': found}))",
].join("\n");

const reasons: Record<Origin, string> = {
  setting: "from the setting agentl.interpreter",
  "python-extension": "chosen in the Python extension",
  path: "found on the PATH",
  environment: "a virtual environment of this folder",
};

/** Returns the reason for a choice in words. */
export function reasonFor(candidate: Candidate): string {
  return reasons[candidate.origin];
}

/** Replaces `~`, `${workspaceFolder}` and `${env:NAME}` in the setting. */
export function expand(value: string): string {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  return value
    .trim()
    .replace(/^~(?=$|[\\/])/, os.homedir())
    .replaceAll("${workspaceFolder}", folder)
    .replace(/\$\{env:(\w+)\}/g, (_whole, name: string) => process.env[name] ?? "");
}

/** The part of the Python extension's API that is used here. */
export interface PythonApi {
  readonly environments: {
    getActiveEnvironmentPath(resource?: vscode.Uri): { readonly path: string };
    resolveEnvironment(
      environment: unknown,
    ): Promise<{ readonly executable: { readonly uri: vscode.Uri | undefined } } | undefined>;
    readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
  };
}

/** Returns the API of the Python extension, or undefined when it is not installed or fails to start. */
export async function pythonApi(log: vscode.LogOutputChannel): Promise<PythonApi | undefined> {
  const extension = vscode.extensions.getExtension<PythonApi>("ms-python.python");
  if (!extension) return undefined;
  try {
    const api = await extension.activate();
    return api?.environments ? api : undefined;
  } catch (error) {
    log.warn(`The Python extension did not start, so its interpreter is not used: ${String(error)}`);
    return undefined;
  }
}

async function fromPythonExtension(log: vscode.LogOutputChannel): Promise<string | undefined> {
  const api = await pythonApi(log);
  if (!api) return undefined;
  const active = api.environments.getActiveEnvironmentPath(vscode.workspace.workspaceFolders?.[0]?.uri);
  const environment = await api.environments.resolveEnvironment(active);
  return environment?.executable.uri?.fsPath;
}

async function isExecutable(file: string): Promise<boolean> {
  return access(file, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function fromPath(): Promise<string | undefined> {
  const names = process.platform === "win32" ? ["python3.exe", "python.exe"] : ["python3", "python"];
  // A relative entry of the PATH would let the opened folder decide what is started.
  const directories = (process.env["PATH"] ?? "").split(path.delimiter).filter(path.isAbsolute);
  for (const name of names) {
    for (const directory of directories) {
      const file = path.join(directory, name);
      if (await isExecutable(file)) return file;
    }
  }
  return undefined;
}

/** Returns every interpreter on offer, the one that counts first. */
export async function candidates(log: vscode.LogOutputChannel): Promise<Candidate[]> {
  const found: Candidate[] = [];
  const setting = expand(vscode.workspace.getConfiguration("agentl").get<string>("interpreter", ""));
  if (setting) found.push({ python: setting, origin: "setting" });
  const active = vscode.workspace.isTrusted ? await fromPythonExtension(log) : undefined;
  if (active) found.push({ python: active, origin: "python-extension" });
  const onPath = await fromPath();
  if (onPath) found.push({ python: onPath, origin: "path" });
  return found;
}

/** Returns the virtual environments that lie in the opened folders, when those are trusted. */
export async function environments(): Promise<Candidate[]> {
  const folders = vscode.workspace.isTrusted ? (vscode.workspace.workspaceFolders ?? []) : [];
  const python = process.platform === "win32" ? ["Scripts", "python.exe"] : ["bin", "python"];
  const files = folders.flatMap(({ uri }) => [".venv", "venv"].map((name) => path.join(uri.fsPath, name, ...python)));
  const present = await Promise.all(files.map(isExecutable));
  return files.filter((_file, index) => present[index]).map((file) => ({ python: file, origin: "environment" }));
}

function liesInWorkspace(file: string): boolean {
  const folders = vscode.workspace.workspaceFolders ?? [];
  return folders.some((folder) => !path.relative(folder.uri.fsPath, path.resolve(file)).startsWith(".."));
}

interface Probe {
  readonly version: readonly [number, number, number];
  readonly server: boolean;
}

function probe(python: string): Promise<Probe> {
  return new Promise((resolve, reject) => {
    // The extension's own directory: the opened folder must not be importable while we only look.
    const options = { cwd: __dirname, timeout: probeTimeoutMs, encoding: "utf8" } as const;
    execFile(python, ["-c", probeProgram], options, (error, stdout, stderr) => {
      if (error) return reject(new Error(stderr.trim().split("\n").at(-1) || error.message));
      try {
        return resolve(JSON.parse(stdout) as Probe);
      } catch {
        return reject(new Error("it did not answer like a Python interpreter"));
      }
    });
  });
}

/** Starts the candidate once and says whether the language server can run with it. */
export async function examine(candidate: Candidate): Promise<Choice> {
  const where = `${candidate.python} (${reasonFor(candidate)})`;
  if (!vscode.workspace.isTrusted && liesInWorkspace(candidate.python)) {
    return { candidate, version: undefined, problem: `${where} lies in this folder, which is not trusted.` };
  }
  try {
    const answer = await probe(candidate.python);
    const version = answer.version.join(".");
    const [major, minor] = answer.version;
    if (major < oldestPython[0] || (major === oldestPython[0] && minor < oldestPython[1])) {
      return { candidate, version, problem: `${where} is Python ${version}; agentl needs ${oldestPython.join(".")} or newer.` };
    }
    const problem = answer.server ? undefined : `Python ${version} at ${where} has no agentl.`;
    return { candidate, version, problem };
  } catch (error) {
    return { candidate, version: undefined, problem: `${where} cannot be started: ${(error as Error).message}.` };
  }
}

/** Returns the interpreter that counts: setting, then Python extension, then PATH. A bad one is not passed over. */
export async function choose(log: vscode.LogOutputChannel): Promise<Choice> {
  const [first] = await candidates(log);
  if (first) return examine(first);
  return { candidate: undefined, version: undefined, problem: "There is no Python on the PATH." };
}
