#!/bin/sh
# npm's shell for a server (package-runners.ts): enters the server's folder, which npm itself has not seen.
cd "$PERDURE_SERVER_FOLDER" || exit
unset PERDURE_SERVER_FOLDER npm_config_script_shell
exec /bin/sh "$@"
