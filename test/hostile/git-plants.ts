/**
 * Ways in which a repository makes git start a program, or look elsewhere. Each is a script of `sh` that runs in a
 * repository with one commit, as an agent may run it in its sandbox; `$evil` is a program that leaves a mark outside
 * where it is started, `$outside` a folder that nobody may read or change.
 */
export const PLANTS: Record<string, string> = {
  fsmonitor: 'git config core.fsmonitor "$evil"',
  hooks:
    'git config core.hooksPath "$PWD/.git/h"; mkdir .git/h; for hook in post-index-change pre-commit ' +
    'post-checkout reference-transaction pre-auto-gc; do cp "$evil" .git/h/$hook; cp "$evil" .git/hooks/$hook; ' +
    'done',
  'clean filter':
    'git config filter.x.clean "$evil"; git config filter.x.required true; echo "* filter=x" > .gitattributes; ' +
    'echo new >> a.txt',
  'filter process in info/attributes':
    'git config filter.x.process "$evil"; mkdir -p .git/info; echo "* filter=x" > .git/info/attributes; echo ' +
    'new >> a.txt',
  'smudge filter':
    'git config filter.x.smudge "$evil"; git config filter.x.clean "$evil"; echo "* filter=x" > .gitattributes; ' +
    'touch a.txt',
  'attributes file':
    'git config filter.x.clean "$evil"; git config core.attributesFile "$PWD/more"; echo "* filter=x" > more; ' +
    'echo new >> a.txt',
  textconv:
    'git config diff.x.textconv "$evil"; git config diff.x.cachetextconv true; echo "* diff=x" > ' +
    '.gitattributes; echo new >> a.txt',
  'diff driver':
    'git config diff.x.command "$evil"; git config diff.external "$evil"; echo "* diff=x" > .gitattributes; ' +
    'echo new >> a.txt',
  'merge driver':
    'git config merge.x.driver "$evil"; git config merge.default x; echo "* merge=x" > .gitattributes; echo new ' +
    '>> a.txt',
  'pager and editor':
    'for name in core.pager pager.status pager.diff core.editor sequence.editor core.askPass core.sshCommand ' +
    'core.gitProxy gpg.program interactive.diffFilter; do git config $name "$evil"; done; git config ' +
    'commit.gpgSign true',
  include: 'printf "[core]\\n\\tfsmonitor = %s\\n" "$evil" > .git/more; git config include.path more',
  'include if': 'printf "[core]\\n\\tfsmonitor = %s\\n" "$evil" > .git/more; git config includeIf.gitdir:**.path more',
  'work tree elsewhere': 'git config core.worktree "$outside"; git config core.fsmonitor "$evil"',
  'bare repository in the tree':
    'git clone -q --bare . bare; git -C bare config core.bare false; git -C bare config core.worktree ..; git ' +
    '-C bare config core.fsmonitor "$evil"; cp -r .git/objects .git/refs .git/HEAD .; cp bare/config config',
  '.git as a file':
    'mv .git real; git --git-dir=real config core.fsmonitor "$evil"; git --git-dir=real config core.bare false; ' +
    'echo "gitdir: $PWD/real" > .git',
  '.git as a file that leads out': 'rm -rf .git; echo "gitdir: $outside" > .git',
  '.git as a link': 'mv .git real; git --git-dir=real config core.fsmonitor "$evil"; ln -s real .git',
  '.git as a link that leads out': 'rm -rf .git; ln -s "$outside" .git',
  'common folder elsewhere':
    'mkdir common; cp -r .git/objects .git/refs .git/config common; git config -f common/config core.fsmonitor ' +
    '"$evil"; echo "$PWD/common" > .git/commondir',
  'configuration of a work tree':
    'git config extensions.worktreeConfig true; git config --worktree core.fsmonitor "$evil"',
  'submodule that updates by a program':
    'git config submodule.s.url "$outside"; git config submodule.s.update "!$evil"; git config ' +
    'submodule.recurse true; printf "[submodule \\"s\\"]\\n\\tpath = s\\n\\turl = ./s\\n\\tupdate = ' +
    '!%s\\n\\tfetchRecurseSubmodules = true\\n" "$evil" > .gitmodules; git init -q s; cp a.txt s; git -C s add ' +
    '.; git -C s commit -qm s; git add s; git -C s config core.fsmonitor "$evil"',
  'pack objects hook':
    'git config uploadpack.packObjectsHook "$evil"; git config receive.procReceiveRefs refs/; git config ' +
    'core.alternateRefsCommand "$evil"; mkdir -p .git/objects/info; echo "$outside" > ' +
    '.git/objects/info/alternates',
  'credential helper': 'git config credential.helper "!$evil"; git config remote.origin.url https://127.0.0.1:1/x',
  alias:
    'for name in status ls-files add diff-tree update-index write-tree rev-parse; do git config alias.$name ' +
    '"!$evil"; done',
  'promised objects':
    'git config extensions.partialClone origin; git config core.repositoryFormatVersion 1; git config ' +
    'remote.origin.promisor true; git config remote.origin.url "ext::$evil %S"; git config protocol.allow ' +
    'always; rm -rf .git/objects/??; echo new >> a.txt',
  'remote helper':
    'git config remote.origin.vcs ext; git config remote.origin.url "ext::$evil"; git config protocol.ext.allow ' +
    'always; git config fetch.recurseSubmodules true',
  'index that is a link': 'rm .git/index; ln -s "$outside/secret" .git/index',
  'ignore file that is a link':
    'ln -s "$outside/secret" .gitignore; rm -f .git/info/exclude; ln -s "$outside/secret" .git/info/exclude',
  'attributes that are a link': 'ln -s "$outside/secret" .gitattributes',
  'split index': 'git config core.splitIndex true; git update-index --split-index; echo new >> a.txt',
  'replaced objects':
    'git replace -f $(git rev-parse HEAD:a.txt) $(echo other | git hash-object -w --stdin); git config ' +
    'core.useReplaceRefs true',
  encoding: 'echo "* working-tree-encoding=UTF-16 ident eol=crlf" > .gitattributes; echo new >> a.txt',
  maintenance:
    'git config gc.auto 1; git config maintenance.auto true; git config gc.recentObjectsHook "$evil"; echo new ' +
    '>> a.txt; git config core.fsmonitor true',
};

/** What git waits for: nobody knows the state of these files then. */
export const STALLING: Record<string, string> = {
  'index that is a pipe': 'rm .git/index; mkfifo .git/index',
  'head that is a pipe': 'rm .git/HEAD; mkfifo .git/HEAD',
};

/** The script of one: a repository at `$1`, planted, and entered in the repository above as what it holds. */
export const plantScript = (plant: string): string => `set -u
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@example.org GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@example.org
git init -q "$1"; cd "$1"; echo one > a.txt; git add a.txt; git commit -qm one
cd ..; git add "$(basename "$OLDPWD")" 2>/dev/null; cd "$OLDPWD"
mark="$2"; outside="$3"; evil="$PWD/.git/evil"
printf '#!/bin/sh\\necho hit >> "%s"\\ncat\\n' "$mark" > evil; chmod +x evil; cp evil .git/evil; evil="$PWD/evil"
{ ${plant}; } >/dev/null 2>&1 || true
`;
