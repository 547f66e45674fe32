/** Command lines that are proven on a Linux host with bash as its login shell. */
export const accepted: readonly string[] = `
df
df -h
df -h /var
df -iT -x tmpfs
df --output=source,pcent
du -sh /var/log
du -sh /srv/app/*
du -h --max-depth=1 /var
du -xd 1 /
ls
ls -la /etc
ls -la ~/.ssh
ls -lt --time-style=long-iso /var/log/nginx
ls /var/log/*.log
ls -1 ./*
ls "my folder" 'other folder'
\\ls -l
cat /etc/os-release
cat /var/log/app/app.log
cat -n /etc/hosts /etc/fstab
cat ~/app/log/app.log
cat < /etc/hosts
head -n 20 /etc/passwd
head -20 /etc/passwd
tail -n 100 /var/log/syslog
tail -100 /var/log/syslog
tail -c 1000 /var/log/syslog
wc -l /etc/passwd
wc -l < /etc/passwd
tac /var/log/syslog
nl /etc/hosts
grep -n error /var/log/syslog
grep -rn listen /etc/nginx
grep -E 'a|b' /etc/hosts
grep -c '$HOME' /etc/profile
grep -A 3 -B3 panic /var/log/kern.log
sort -k2 -n /etc/passwd
sort -t: -k3,3n /etc/passwd
sort /etc/passwd | uniq -c | sort -rn | head -5
uniq -c /etc/hosts
cut -d: -f1 /etc/passwd
tr a-z A-Z < /etc/hostname
comm -12 /etc/hosts /etc/hosts.bak
cmp /etc/hosts /etc/hosts.bak
diff -u /etc/hosts /etc/hosts.bak
diff -r /etc/nginx /etc/nginx.bak
sha256sum /usr/bin/ssh
base64 -d /tmp/x
od -c /etc/hostname
hexdump -C -n 64 /usr/bin/ssh
strings -n 8 /usr/bin/ssh
sed -n '1,20p' /etc/ssh/sshd_config
sed -n 5p /etc/hosts
sed '1,5p' /etc/hosts
sed -E 's#(a|b)+#\\1#g' /etc/hosts
awk '{if ($9 >= 500) print $1}' /var/log/nginx/access.log
awk -F: -v OFS=, '{print $1, $2}' /etc/passwd
sed -n '10,$p' /etc/hosts
seq 1 5
printf '%s\\n' x
printf '%-10s|%5.2f%%\\n' a 1
printf 'plain text'
cd /etc && cat hosts
cd /var/log && tail -n 5 syslog && cd nginx && cat access.log
cat src/*
cat app*.log
head -n -5 /etc/passwd
journalctl -n 50 -u ssh --no-pager
rev /etc/hostname
column -t /etc/fstab
file /usr/bin/ssh
stat /etc/passwd
stat -c %a /etc/shadow
readlink -f /etc/alternatives/editor
realpath /bin/sh
basename /etc/hosts
dirname /etc/hosts
find /var/log -name '*.gz'
find / -xdev -type f -size +100M
find . -maxdepth 2 -type d
find /etc -newer /etc/hosts -print
find /srv \\( -name a -o -name b \\) -printf '%p %s\\n'
find /var -user www-data -mtime +30 -ls
uptime
uptime -p
free -h
free -m
whoami
id
id -u root
groups
hostname
hostname -f
hostname -I
uname -a
date
date -u +%F
date -d '2 days ago' +%s
date -Iseconds
pwd
nproc
arch
getconf PAGE_SIZE
env
printenv PATH
getent passwd root
getent hosts example.com
ps aux
ps -ef
ps -eo pid,ppid,cmd --sort=-%cpu
ps aux --sort=-%mem | head -10
pgrep -a sshd
pidof sshd
pstree -p
top -b -n 1
top -bn1
who
w
last -n 5
last -5
lastlog -u root
dmesg
dmesg -T
dmesg --level=err,warn
vmstat
vmstat 1 3
iostat -x 1 2
mpstat -P ALL 1 1
crontab -l
lsblk
lsblk -f
lsblk -o NAME,SIZE,MOUNTPOINT
lscpu
lsusb
lspci -nnk
lsmod
findmnt
findmnt -T /var
mount
mount -t ext4
swapon --show
ss -tlnp
ss -s
ss -tan state established
netstat -tulpn
ip a
ip addr show dev eth0
ip -br link
ip route
ip route get 192.0.2.1
ip -s link show
systemctl status nginx
systemctl status nginx --no-pager -l
systemctl --failed
systemctl is-active ssh
systemctl list-units --type=service --state=running
systemctl list-timers --all
systemctl show -p MainPID nginx
systemctl cat nginx
journalctl -u nginx -n 100 --no-pager
journalctl -b -p err
journalctl -b -1 -k
journalctl --since '1 hour ago' -u ssh
journalctl --disk-usage
timedatectl
hostnamectl status
timeout 5 df -h
timeout 2.5s nice -n 19 du -sh /srv
ionice -c 3 du -sh /srv
ionice -c2 -n7 find /srv -name x
nice du -sh /srv | sort -h
hostnamectl --no-pager
cat /sys/class/net/*/operstate
cat /sys/block/sda/queue/scheduler
cat /sys/class/thermal/*/temp
dpkg -l
dpkg -S /bin/ls
dpkg -L openssh-server
rpm -qa
rpm -qf /usr/bin/ssh
docker ps
docker ps -a --format '{{.Names}}'
docker images
docker logs --tail 100 web
docker inspect web
docker stats --no-stream
docker container ls -a
docker system df
echo hello
echo "disk: 90%"
printf '%s\\n' a b
true
test -f /etc/hosts
[ -d /srv ] && ls /srv
type ls
which python3
command -v docker
cd /var/log && ls -la
cd /srv; du -sh .
ls /nonexistent 2>/dev/null
ls /nonexistent 2>&1
df -h && free -m; uptime
df -h | grep -v tmpfs
(cd /tmp && ls)
{ df; free; }
! test -e /x
time ls
df -h # how full
/bin/df -h
/usr/bin/du -s /tmp
ls -- -x
grep -- -v /etc/hosts
ls \\
 -l
df
`
  .trim()
  .split('\n')
  .reduce<string[]>((lines, line) => {
    const last = lines.at(-1);
    if (last?.endsWith('\\') === true) lines[lines.length - 1] = `${last}\n${line}`;
    else lines.push(line);
    return lines;
  }, []);

/** Command lines that ask, each with what is wrong with them. */
export const asked: readonly (readonly [line: string, reason: string])[] = [
  ['ls a[$(touch x)]=1', 'a substitution inside brackets'],
  ['cat /etc/hostname[$(touch x)]', 'a substitution inside brackets'],
  ['cat 1[`touch x`]', 'a substitution inside brackets'],
  ['ls x[${y:=z}]', 'an expansion inside brackets'],
  ['ls {a[$(touch x)]', 'a substitution inside brackets'],
  ['ls [[$(touch x)]', 'a substitution inside brackets'],
  ['ls a[$x]', 'a variable inside brackets'],
  ["ls a['x']", 'a quote inside brackets'],
  ['cat /var/run/../dev/watchdog', 'the folder is a link'],
  ['cat < /var/run/../dev/watchdog', 'the folder is a link'],
  ['cd /var/run; cat ../dev/watchdog', 'the folder is a link'],
  ['head -c1 /var/run/../proc/kmsg', 'the folder is a link'],
  ['grep -r x /var/run/..', 'the folder is a link'],
  ['md5sum -c /tmp/list', 'opens what the list names'],
  ['sha256sum --check /tmp/list', 'opens what the list names'],
  ['strings @/tmp/x', 'reads options from a file'],
  ['grep -R x /srv', 'follows links'],
  ['grep -r x', 'the login folder may be the root'],
  ['top -b -ofn', 'no count'],
  ['docker stats -- --no-stream', 'an operand, no option'],
  ['cat /run/initctl', 'consumes what others wait for'],
  ['', 'empty'],
  ['   ', 'empty'],
  ['# only a comment', 'empty'],
  ['rm x', 'deletes'],
  ['rm -rf /', 'deletes'],
  ['\\rm x', 'quoting hides the name'],
  ["'rm' x", 'quoting hides the name'],
  ["r''m x", 'quoting hides the name'],
  ['r\\m x', 'quoting hides the name'],
  ['/bin/rm x', 'deletes'],
  ['./df', 'a program of the folder'],
  ['/tmp/df -h', 'not a system folder'],
  ['../bin/df', 'a relative path'],
  ['~/bin/df', 'a program of the home folder'],
  ['/usr/bin/../../tmp/df', 'climbs out of the system folder'],
  ['DF -h', 'another program'],
  ['dƒ -h', 'another program'],
  ['сat /etc/hosts', 'a Cyrillic letter'],
  ['df -h; rm x', 'a second command'],
  ['df -h;rm x', 'a second command'],
  ['df -h && rm x', 'a second command'],
  ['df -h || rm x', 'a second command'],
  ['df -h | sh', 'pipes into a shell'],
  ['df -h | tee /etc/x', 'pipes into a writer'],
  ['df -h\nrm x', 'a second line'],
  ['df -h\r\nrm x', 'a carriage return'],
  ['df -h &', 'in the background'],
  ['df -h & rm x', 'in the background'],
  ['df > out', 'writes a file'],
  ['df >> out', 'writes a file'],
  ['df >| out', 'writes a file'],
  ['df &> out', 'writes a file'],
  ['df 2> out', 'writes a file'],
  ['df > /dev/sda', 'writes a device'],
  ['df >/dev/null2', 'not the null device'],
  ['df >& out', 'writes a file'],
  ['df 3>&1', 'another descriptor'],
  ['df <> x', 'opens for writing'],
  ['{ df; } > out', 'a group writes a file'],
  ['(df) > out', 'a subshell writes a file'],
  ['> out', 'cuts a file'],
  ['> out df', 'cuts a file'],
  ['echo x > ~/.bashrc', 'writes a file'],
  ['ls $(rm x)', 'substitution'],
  ['ls `rm x`', 'substitution'],
  ['ls "$(rm x)"', 'substitution in quotes'],
  ['ls ${x:-$(rm x)}', 'substitution in an expansion'],
  ['ls $((1+1))', 'arithmetic'],
  ['$x', 'a variable as program'],
  ['$(echo rm) x', 'a substitution as program'],
  ['cat <(rm x)', 'process substitution'],
  ['df >(rm x)', 'process substitution'],
  ['cat <<E\nx\nE', 'here-document'],
  ['cat <<< x', 'here-string'],
  ["cat <<'E'\n$(rm x)\nE", 'here-document'],
  ["ls $'\\x72m'", 'ANSI-C quoting'],
  ["$'rm' x", 'ANSI-C quoting'],
  ['ls $"x"', 'locale quoting'],
  ['{rm,-rf} x', 'brace expansion'],
  ['ls !(a)', 'extended pattern'],
  ['l* -h', 'a pattern as program'],
  ['/bin/r? x', 'a pattern as program'],
  ['[r]m x', 'a pattern as program'],
  ['LD_PRELOAD=/tmp/x.so df', 'sets a variable'],
  ['PATH=/tmp df', 'sets a variable'],
  ['IFS=x df', 'sets a variable'],
  ['x=1', 'sets a variable'],
  ['export PATH=/tmp', 'sets a variable'],
  ['f() { rm x; }; f', 'a function'],
  ['function df { rm x; }', 'a function'],
  ['df() { rm x; }', 'redefines a program'],
  ['alias df=rm', 'an alias'],
  ['if true; then rm x; fi', 'a construct'],
  ['for f in a; do rm $f; done', 'a loop'],
  ['while true; do df; done', 'a loop'],
  ['case x in x) rm x;; esac', 'a construct'],
  ['[[ -v a[$(rm x)] ]]', 'evaluates'],
  ["test -v 'a[$(rm x)]'", 'evaluates'],
  ["[ 'a[$(rm x)]' -eq 1 ]", 'may evaluate'],
  ['((x=1))', 'arithmetic'],
  ['coproc df', 'a coprocess'],
  ['eval df', 'evaluates'],
  ['exec df', 'replaces the shell'],
  ['command rm x', 'runs a program'],
  ['command df', 'runs a program'],
  ['builtin echo x', 'runs a builtin'],
  ['source /tmp/x', 'runs a script'],
  ['. /tmp/x', 'runs a script'],
  ['trap "rm x" EXIT', 'runs later'],
  ['env rm x', 'runs a program'],
  ['env -i df', 'runs a program'],
  ['env X=1 df', 'runs a program'],
  ['nohup df', 'runs a program and writes a file'],
  ['timeout 5 rm x', 'runs a program'],
  ['timeout -s KILL 5 rm x', 'runs a program'],
  ['timeout --foreground 5 df', 'options that are not listed'],
  ['timeout 5 timeout 5 rm x', 'runs a program'],
  ['timeout 5', 'runs no program'],
  ['timeout 5 ./df', 'a program of the folder'],
  ['timeout 5 -x df', 'an option where the program stands'],
  ['timeout 5 cat /dev/watchdog', 'arms a watchdog'],
  ['timeout 5 sh -c "rm x"', 'runs a script'],
  ['timeout 5 l*', 'a pattern as program'],
  ['timeout "5 rm" df', 'a word with a space'],
  ['nice rm x', 'runs a program'],
  ['nice -n rm df', 'no number'],
  ['nice -n 5', 'runs no program'],
  ['ionice -c 3 rm x', 'runs a program'],
  ['ionice -c 3 -p 1', 'changes another process'],
  ['ionice -p 1', 'changes another process'],
  ['ionice -c 3 -P 1', 'changes other processes'],
  ['setsid df', 'outlives the call'],
  ['stdbuf -oL df', 'loads code'],
  ['xargs rm', 'runs a program'],
  ['echo x | xargs rm', 'runs a program'],
  ['sudo df', 'as another user'],
  ['doas df', 'as another user'],
  ['su -c df', 'as another user'],
  ['ssh other df', 'another machine'],
  ['sh -c "rm x"', 'runs a script'],
  ['bash -c df', 'runs a script'],
  ['python3 -c "x"', 'runs a script'],
  ['perl -e "x"', 'runs a script'],
  ['watch df', 'never ends'],
  ['time -p rm x', 'deletes'],
  ['find . -delete', 'deletes'],
  ['find . -exec rm {} ;', 'runs a program'],
  ["find . -exec rm {} ';'", 'runs a program'],
  ['find . -execdir rm {} +', 'runs a program'],
  ['find . -ok rm {} +', 'runs a program'],
  ['find . -fprint out', 'writes a file'],
  ['find . -fprintf out x', 'writes a file'],
  ['find . -fls out', 'writes a file'],
  ['find * -name x', 'a file may be named like a test'],
  ['find . -name *', 'the pattern is expanded by the shell'],
  ['find . -newtest x', 'an unknown test'],
  ['awk "BEGIN{system(\\"rm x\\")}"', 'runs a script'],
  ['awk \'{print > "out"}\' x', 'runs a script'],
  ['sed -i s/a/b/ x', 'changes a file'],
  ["sed -n '1w out' x", 'writes a file'],
  ["sed -n 's/a/b/w out' x", 'writes a file'],
  ["sed -n '1e rm x' x", 'runs a program'],
  ["sed -n '1,5p' -i x", 'changes a file'],
  ["sed -n '1,5p' --in-place x", 'changes a file'],
  ['sort -o out x', 'writes a file'],
  ['sort x -o out', 'writes a file behind the operand'],
  ['sort -uoout x', 'writes a file in a cluster'],
  ['sort --output=out x', 'writes a file'],
  ['sort --outp=out x', 'an abbreviated option'],
  ['sort --compress-program=rm x', 'runs a program'],
  ['sort -T /srv x', 'writes temporary files there'],
  ['sort *', 'a file may be named like an option'],
  ['uniq a b', 'the second file is written'],
  ['xxd -r a b', 'writes a file'],
  ['tee x', 'writes a file'],
  ['date -s 12:00', 'sets the clock'],
  ['date --set=12:00', 'sets the clock'],
  ['date 010203042026', 'sets the clock'],
  ['hostname web', 'sets the name'],
  ['hostname -F /etc/hostname', 'sets the name'],
  ['dmesg -c', 'clears the log'],
  ['dmesg -Tc', 'clears the log in a cluster'],
  ['dmesg -C', 'clears the log'],
  ['dmesg -n 1', 'changes the console'],
  ['df --sync', 'flushes buffers'],
  ['df -Q', 'an unknown option'],
  ['du --unknown', 'an unknown option'],
  ['file -C -m x', 'writes a file'],
  ['file -z x', 'runs decompressors'],
  ['tail -f /var/log/syslog', 'never ends'],
  ['tail -F /var/log/syslog', 'never ends'],
  ['tail -20f /var/log/syslog', 'never ends'],
  ['tail --follow=name x', 'never ends'],
  ['free -s 1', 'never ends'],
  ['top', 'never ends'],
  ['top -b', 'never ends'],
  ['vmstat 1', 'never ends'],
  ['iostat 5', 'never ends'],
  ['journalctl -f', 'never ends'],
  ['journalctl --vacuum-time=1d', 'deletes journals'],
  ['journalctl --rotate', 'rotates'],
  ['journalctl --cursor-file=x', 'writes a file'],
  ['journalctl --vacuum-t=1d', 'an abbreviated option'],
  ['systemctl restart nginx', 'changes services'],
  ['systemctl -H other status', 'another machine'],
  ['systemctl daemon-reload', 'changes services'],
  ['service nginx restart', 'changes services'],
  ['ss -K dst 192.0.2.1', 'closes sockets'],
  ['ss -D out', 'writes a file'],
  ['ip link set eth0 down', 'changes the network'],
  ['ip addr add 192.0.2.1/24 dev eth0', 'changes the network'],
  ['ip route flush table main', 'changes the network'],
  ['ip -b /tmp/x', 'runs a batch'],
  ['ip netns exec x rm y', 'runs a program'],
  ['ip monitor', 'never ends'],
  ['mount /dev/sdb1 /mnt', 'mounts'],
  ['mount -a', 'mounts'],
  ['swapon -a', 'changes swap'],
  ['swapon --bytes', 'shows nothing'],
  ['crontab x', 'replaces the table'],
  ['crontab -r', 'removes the table'],
  ['crontab', 'reads a new table'],
  ['dpkg -i x.deb', 'installs'],
  ['dpkg --purge x', 'removes'],
  ['dpkg -l --root=/x', 'an option behind the query'],
  ["rpm -qa --qf '%(rm x)'", 'an option behind the query'],
  ['rpm -e x', 'removes'],
  ['docker rm web', 'removes'],
  ['docker exec web rm x', 'runs a program'],
  ['docker run alpine', 'runs a container'],
  ['docker -H tcp://192.0.2.1 ps', 'another daemon'],
  ['docker logs -f web', 'never ends'],
  ['docker stats', 'never ends'],
  ['docker constructor', 'no such verb'],
  ['docker system prune', 'removes'],
  ['docker container rm web', 'removes'],
  ['kill 1', 'ends processes'],
  ['pkill sshd', 'ends processes'],
  ['constructor', 'an unknown program'],
  ['__proto__', 'an unknown program'],
  ['cat /dev/watchdog', 'arms a watchdog'],
  ['cat /dev/*', 'may match a device'],
  ['cat /d*/watchdog', 'may match a device'],
  ['cat /*/x', 'may match a device'],
  ['cat /proc/kmsg', 'consumes the kernel log'],
  ['cat ../../dev/watchdog', 'may lead to a device'],
  ['cat dev/watchdog', 'the home folder may be the root'],
  ['cat < /dev/watchdog', 'arms a watchdog'],
  ['cat /etc/../dev/watchdog', 'arms a watchdog'],
  ['cd /dev && cat watchdog', 'arms a watchdog'],
  ['cd / && cat dev/watchdog', 'arms a watchdog'],
  ['cd .. && cat dev/watchdog', 'may lead to a device'],
  ['head -c 1 /sys/kernel/debug/x', 'acts on the kernel'],
  ['grep -r x /', 'reads everything'],
  ['grep -r x /proc', 'reads kernel files'],
  ['grep -R x /sys/kernel', 'reads kernel files'],
  ['grep * /etc/hosts', 'the pattern is expanded by the shell'],
  ['ls -*', 'a pattern where an option stands'],
  ['sort [a', 'shells differ'],
  ['printf -v x y', 'sets a variable'],
  ["printf '%n' PATH; df", 'sets PATH, which decides what df is'],
  ["printf '%s %5n' a PATH", 'sets PATH'],
  ['printf %(%s)T', 'a conversion that is not listed'],
  ['uniq /etc/host*', 'a second match is written'],
  ['sort /etc/passwd | uniq -c x*', 'a second match is written'],
  ['[ * ]', 'files may be named like tests that evaluate'],
  ['[ -f x* ]', 'files may be named like tests that evaluate'],
  ['test -e *.log', 'files may be named like tests that evaluate'],
  ['journalctl -n --rotate', '-n takes no separate option as its value, so it rotates'],
  ['journalctl --lines --vacuum-size=1M', '--lines takes no separate option, so it deletes'],
  ['journalctl -u --rotate', 'a value that looks like an option'],
  ['systemctl status -n --now x', 'a value that looks like an option'],
  ['grep -f /dev/watchdog x', 'opens one more file'],
  ['grep --file=/dev/watchdog x', 'opens one more file'],
  ['who /dev/watchdog', 'arms a watchdog'],
  ['cat ~sys/watchdog', 'the home of sys is /dev'],
  ['cat ~+/dev/watchdog', 'the working folder'],
  ['cat ~-/dev/watchdog', 'the folder before'],
  ['cat ~/dev/watchdog', 'the home folder may be the root'],
  ['cat */watchdog', 'the home folder may be the root'],
  ['cat d*/watchdog', 'the home folder may be the root'],
  ['cat .*/dev/watchdog', 'may match the folder above'],
  ['grep -r x .?', 'may match the folder above'],
  ['cat /proc/self/root/dev/watchdog', 'a link to the root'],
  ['cat /proc/1/cwd/x', 'a link to anywhere'],
  ['cat /proc/self/fd/3', 'a link to anything open'],
  ['cat /proc/*/environ', 'may match a link to anywhere'],
  ['cd -; cat x', 'where that is is not known'],
  ['cd ~sys; cat watchdog', 'the home of sys is /dev'],
  ['cd / ; cat dev/watchdog', 'arms a watchdog'],
  ['(cd /); cat dev/watchdog', 'arms a watchdog where the home folder is the root'],
  ['cd /nowhere; cat dev/watchdog', 'the cd may have failed'],
  ['df -h \u0000', 'a NUL'],
  ['df -h \u001b[2J', 'an escape'],
  ['df -h \u202e', 'a bidirectional override'],
  ['df -h \u200b', 'a zero-width space'],
  ['df "', 'does not parse'],
  ["df '", 'does not parse'],
  ['df )', 'does not parse'],
  ['df |', 'does not parse'],
  ['df &&', 'does not parse'],
  ['$(', 'does not parse'],
  ['ls <', 'does not parse'],
  ['cat /var/run/initctl', '/var/run is /run'],
  ['cat /run/systemd/initctl/fifo', 'consumes what others wait for'],
  ['cat /sys/bus/pci/devices/0000:00:01.0/resource0', 'reads registers'],
  ['cat /sys/bus/pci/devices/*/rom', 'reads the memory of a device'],
  ['cat /sys/bus/pci/devices/0000:00:01.0/*', 'may match registers'],
  ['cat /sys/class/net/eth0/device/*', 'may match registers'],
  ['grep -r -D read x /srv', 'reads devices'],
  ['grep -r --devices=read x /srv', 'reads devices'],
  ['ss -N foo', 'enters a namespace'],
  ['docker stats --no-stream=false', 'never ends'],
  ['docker stats --no-stream=0 --no-stream', 'never ends'],
  ["printf '%d' 'a[$(rm x)]'", 'some shells evaluate numbers'],
  ['cd ""; cat x', 'shells differ about an empty folder'],
  ['echo 中\\; rm x', 'in GBK the backslash is a part of the character'],
  ["echo '中`rm x`'", 'a backtick behind a character'],
  ['time -o x ls', 'writes a file'],
  ['time -f %e rm x', 'deletes'],
  ['! time -o x ls', 'writes a file'],
  [`ls ${'a'.repeat(17_000)}`, 'too long'],
];
