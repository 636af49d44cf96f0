#!/usr/bin/env bash
# Installs a VS Code server (the one inside the npm package code-server) for the editor tests.
#
#   install-code-server.sh [DIRECTORY]     default: .cache/code-server of the repository
#
# Needs node 20 with its headers, gcc, g++, make, python3, ripgrep and libkrb5-dev. The packages' own install
# scripts are replaced by the steps below: two of them would fetch binaries from hosts that a closed network lacks.
set -euo pipefail

VERSION=4.100.3 # the last one for node 20; it carries VS Code 1.100.3
REPOSITORY=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
TARGET=${1:-$REPOSITORY/.cache/code-server}
STAMP=.installed-$VERSION

mkdir -p "$TARGET"
cd "$TARGET"
if [ -e "$STAMP" ]; then
  echo "code-server $VERSION is already in $TARGET"
  exit 0
fi
RIPGREP=$(command -v rg) || { echo "ripgrep is missing: apt-get install -y ripgrep libkrb5-dev" >&2; exit 1; }

export npm_config_nodedir=${NODE_HOME:-/usr} npm_config_yes=true npm_config_audit=false npm_config_fund=false
# the tests are about the extension: a project's own npm settings must not change what is installed here
printf '{"private": true}\n' > package.json

npm install --ignore-scripts --no-save --no-package-lock "code-server@$VERSION"
npm rebuild --foreground-scripts argon2

cd node_modules/code-server/lib/vscode
npm install --ignore-scripts --omit=dev
mkdir -p node_modules/@vscode/ripgrep/bin
ln -sf "$RIPGREP" node_modules/@vscode/ripgrep/bin/rg
npm rebuild --foreground-scripts
ln -sfn node_modules node_modules.asar
(cd extensions && npm install --ignore-scripts --omit=dev)

cd "$TARGET"
touch "$STAMP"
echo "code-server $VERSION is in $TARGET"
