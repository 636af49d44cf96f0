/** Hovers as VS Code draws them best: one box a part. */

import * as vscode from "vscode";

/**
 * Makes a part of its own of what stands between two rules (`---`) of a hover. Drawn as one text, the rule would touch
 * a code block that follows it.
 */
export function inParts(hover: vscode.Hover): vscode.Hover {
  const parts = hover.contents.flatMap<vscode.MarkdownString | vscode.MarkedString>((content) => {
    if (!(content instanceof vscode.MarkdownString)) return [content];
    return content.value.split(/^---$/m).map((text) => {
      const part = new vscode.MarkdownString(text.trim(), content.supportThemeIcons);
      part.isTrusted = content.isTrusted ?? false;
      return part;
    });
  });
  return new vscode.Hover(parts, hover.range);
}
