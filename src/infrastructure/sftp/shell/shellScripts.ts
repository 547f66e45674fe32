/** GNU and BusyBox first, then BSD. Prints mode in hexadecimal, size, owner, group, and the times of access and change. */
const attributes = (options: string): string =>
  `if stat -c %f / >/dev/null 2>&1; then S() { stat ${options}-c "%f %s %u %g %X %Y" -- "$1"; }; ` +
  `else S() { stat ${options}-f "%Xp %z %u %g %a %m" -- "$1"; }; fi; `;

const sameDevice =
  'D() { stat -c %d -- "$1" 2>/dev/null || stat -f %d -- "$1"; }; ' +
  'test "$(D "$3")" = "$(D "$4")" || { echo "cross-device link" >&2; exit 1; }; ';

/** What each operation runs. `$1` is the path; those that begin with a dash have `./` in front. Source: POSIX.1-2017. */
export const shellScripts = {
  lstat: `${attributes('')}S "$1"`,
  stat: `${attributes('-L ')}S "$1"`,
  /** For each entry a line as of `lstat`, its name and NUL. Not every shell says why it cannot enter a directory. */
  list:
    `${attributes('')}cd "$1" 2>/dev/null || { ls -d -- "$1/." >/dev/null; exit 1; }; for f in * .*; do case $f in .|..) continue;; esac; ` +
    'if test -e "$f" || test -L "$f"; then S "./$f" && printf "%s\\0" "$f"; fi; done; exit 0',
  /** `$2`: the first byte, counted from 1; `$3`: how many. */
  read: 'test -d "$1" && { echo "is a directory" >&2; exit 1; }; tail -c "+$2" -- "$1" | head -c "$3"',
  readable: 'test -d "$1" || exec 3<"$1"',
  realpath: 'readlink -f -- "$1" 2>/dev/null || { cd "$1" && pwd -P; }',
  readlink: 'readlink -- "$1"',
  createNew: 'umask 077; set -C; : >"$1" && chmod "$2" -- "$1"',
  truncate: ': >"$1"',
  append: ': >>"$1"',
  writable: 'test -e "$1" || { echo "No such file or directory" >&2; exit 1; }; : >>"$1"',
  /** `$2`: the offset. One byte at a time is the only size in which every `dd` can seek to any offset. */
  write: 'dd "of=$1" bs=1 "seek=$2" conv=notrunc 2>/dev/null',
  /** `$2`: the offset; `$3`: the file that holds what is to be written, which is gone then. At the beginning and the end it is quick. */
  writeFrom:
    'trap \'rm -f -- "$3"\' EXIT; if test "$2" -eq 0; then cat -- "$3" 1<>"$1"; ' +
    'elif test "$2" -eq "$(($(wc -c <"$1")))"; then cat -- "$3" >>"$1"; ' +
    'else dd "if=$3" "of=$1" bs=1 "seek=$2" conv=notrunc 2>/dev/null; fi',
  /** The whole file over the beginning of `$2`. */
  copy: 'test -f "$2" && cat -- "$1" 1<>"$2"',
  size: 'dd if=/dev/null "of=$1" bs=1 "seek=$2" 2>/dev/null',
  chmod: 'chmod "$2" -- "$1"',
  touch: 'touch -a -d "@$2" -- "$1" && touch -m -d "@$3" -- "$1"',
  chown: 'chown "$2" -- "$1"',
  mkdir: 'mkdir -- "$1"',
  rmdir: 'rmdir -- "$1"',
  remove:
    'test -d "$1" && ! test -L "$1" && { echo "Is a directory" >&2; exit 1; }; ' +
    'test -e "$1" || test -L "$1" || { echo "No such file or directory" >&2; exit 1; }; rm -f -- "$1"',
  symlink: 'ln -s -- "$2" "$1"',
  /** `$3` and `$4` are the directories of both: `mv` copies where they are on two file systems. */
  rename: `${sameDevice}if test -e "$2" || test -L "$2"; then echo "File exists" >&2; exit 1; fi; mv -- "$1" "$2"`,
  replace: `${sameDevice}if test -d "$2" && ! test -L "$2"; then echo "Is a directory" >&2; exit 1; fi; mv -f -- "$1" "$2"`,
} as const;
