// Builds dist/extension.js and the licences of what is bundled in it; with --tests the suite of the extension host.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { build } from "esbuild";

const shared = { bundle: true, platform: "node", format: "cjs", target: "node20", logLevel: "warning" };

/** Writes the licence of every package that the bundle holds a file of. */
async function writeNotices(metafile) {
  const packageOf = (file) => file.match(/^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//)?.[1];
  const folders = [...new Set(Object.keys(metafile.inputs).map(packageOf))].filter(Boolean).sort();
  const notices = folders.map(async (folder) => {
    const { name, version, license } = JSON.parse(await readFile(`${folder}/package.json`, "utf8"));
    const file = (await readdir(folder)).find((entry) => /^licen[cs]e/i.test(entry));
    if (!file) throw new Error(`${name} has no licence file`);
    return `${name} ${version} (${license})\n\n${await readFile(`${folder}/${file}`, "utf8")}`;
  });
  await writeFile("dist/THIRD-PARTY-NOTICES.txt", (await Promise.all(notices)).join(`\n${"-".repeat(80)}\n\n`));
}

if (process.argv.includes("--tests")) {
  await build({
    ...shared,
    entryPoints: ["../tests/editors/vscode/inhost/index.ts"],
    external: ["vscode", "mocha"],
    outfile: "dist-test/index.js",
    sourcemap: "inline",
  });
} else {
  const { metafile } = await build({
    ...shared,
    entryPoints: ["src/extension.ts"],
    external: ["vscode"],
    outfile: "dist/extension.js",
    minify: true,
    keepNames: true,
    metafile: true,
  });
  await writeNotices(metafile);
}
