/**
 * Settings of a repository by which git starts no program and looks nowhere else: what git itself writes into a new
 * one, and what people often set. By section, keys in small letters.
 */
const HARMLESS = new Map(
  Object.entries({
    core:
      'repositoryformatversion filemode bare logallrefupdates symlinks ignorecase precomposeunicode autocrlf eol ' +
      'safecrlf quotepath compression abbrev untrackedcache preloadindex splitindex longpaths trustctime checkstat ' +
      'commentchar sparsecheckout sparsecheckoutcone worktree',
    extensions: 'objectformat compatobjectformat refstorage worktreeconfig partialclone',
    user: 'name email signingkey useconfigonly',
    author: 'name email',
    committer: 'name email',
    init: 'defaultbranch',
    branch: 'remote merge rebase description pushremote autosetupmerge autosetuprebase sort',
    remote: 'url fetch pushurl push tagopt mirror prune promisor partialclonefilter',
    index: 'sparse',
    lfs: 'repositoryformatversion',
    submodule: 'url active branch',
    commit: 'gpgsign verbose',
    tag: 'gpgsign sort',
    pull: 'rebase ff',
    push: 'default followtags autosetupremote',
    fetch: 'prune prunetags',
    merge: 'ff conflictstyle renames',
    rebase: 'autosquash autostash',
    rerere: 'enabled autoupdate',
    diff: 'algorithm renames colormoved',
    log: 'date decorate',
    gc: 'auto autodetach',
    maintenance: 'auto strategy',
    receive: 'denycurrentbranch denynonfastforwards',
    color: 'ui status diff branch',
    advice: 'detachedhead addembeddedrepo defaultbranchname statushints',
  }).map(([section, keys]) => [section, keys.split(' ')]),
);

/** A section alone in its line, such as `[remote "origin"]`. */
const SECTION = /^[ \t]*\[([A-Za-z-]+)(?:[ \t]+"(?:[^"\\]|\\["\\])*")?\][ \t]*\r?$/;
/** A setting that ends with its line: one whose value has a backslash at its end goes on in the next. */
const SETTING = /^[ \t]*([A-Za-z][A-Za-z0-9-]*)[ \t]*(?:=(.*[^\\\r])?)?\r?$/;
/** A value as it stands there: without quotes, escapes and remarks. */
const PLAIN = /^[^"\\#;]+$/;
const NOTHING = /^[ \t]*(?:[#;].*)?\r?$/;

/**
 * Lines of the configuration of a repository by which git may start a program, or look elsewhere: all that is not known
 * to be harmless, and what is written otherwise than git writes it. `isTop` tells whether a path that the repository
 * names leads to where its files are: so git writes it of a submodule.
 */
export function harmIn(text: string, isTop: (path: string) => boolean = () => false): string[] {
  return sorted(text, isTop).flatMap(({ line, isHarmless }) => (isHarmless ? [] : [line.trim()]));
}

/** The configuration without these lines, and without where files are: git finds that by itself. */
export function withoutHarm(text: string): string {
  return sorted(text, () => false)
    .flatMap(({ line, isHarmless }) => (isHarmless ? [line] : []))
    .join('\n');
}

function sorted(text: string, isTop: (path: string) => boolean): { line: string; isHarmless: boolean }[] {
  let known: string[] = [];
  return text.split('\n').map((line) => {
    const section = SECTION.exec(line)?.[1]?.toLowerCase();
    if (section !== undefined) {
      known = HARMLESS.get(section) ?? [];
      return { line, isHarmless: true };
    }
    const [, name, value = ''] = SETTING.exec(line) ?? [];
    const key = name?.toLowerCase();
    // Who knows in which section is what follows such a line.
    if (key === undefined && !NOTHING.test(line)) known = [];
    if (key === undefined) return { line, isHarmless: NOTHING.test(line) };
    const isElsewhere = key === 'worktree' && !(PLAIN.test(value) && isTop(value.trim()));
    return { line, isHarmless: known.includes(key) && !isElsewhere };
  });
}
