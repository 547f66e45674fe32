/**
 * What an operator types on an ordinary day without changing anything, by what they look into. Collected without a look at the rules,
 * and never trimmed to fit them: what is not proven stays and counts as a miss. Lines with sudo are another user's, so not here.
 */
export const everyday: Readonly<Record<string, string>> = {
  disk: `
df -h
df -hT
df -i
df -h / /var /home
df -h --output=target,pcent,size | sort -k2 -r
df -hT -x tmpfs -x devtmpfs
du -sh /var/log/*
du -sh /var/* | sort -rh | head -20
du -h --max-depth=1 /var | sort -h
du -ahx /var/lib | sort -rh | head -n 20
find /var -xdev -type f -size +100M -exec ls -lh {} \\;
find / -xdev -type f -size +500M -printf '%s %p\\n' | sort -rn | head
find /tmp -type f -mtime +7 | wc -l
find /var/log -name '*.log' -mmin -60
find /etc -type f -mtime -1 -ls
lsblk
lsblk -o NAME,SIZE,TYPE,FSTYPE,MOUNTPOINT,UUID
blkid
mount | grep -v -E 'cgroup|proc|sysfs'
findmnt --real
findmnt -t ext4,xfs
cat /etc/fstab
cat /proc/mounts
cat /proc/mdstat
mdadm --detail /dev/md0
pvs
vgs
lvs -a -o +devices
lsof +L1
lsof +D /var/log
lsof /var/log/syslog
lsof -nP | grep deleted
fuser -v /var/log/syslog
fuser -vm /mnt
smartctl -a /dev/sda
smartctl -H /dev/sda
nvme list
nvme smart-log /dev/nvme0
iostat -xz 1 3
zpool status
zfs list -t snapshot
btrfs filesystem usage /
swapon --show
stat /var/lib/mysql
ls -lah /var/log
ls -ltr /var/log | tail
ls -la /srv/app/current
tree -L 2 /srv
xfs_info /
tune2fs -l /dev/sda1
fdisk -l
quota -u alice
`,
  memoryAndProcessor: `
free -h
free -m
uptime
cat /proc/meminfo | head -5
grep -i -E 'memavailable|swap' /proc/meminfo
vmstat 1 5
vmstat -s
mpstat -P ALL 1 1
sar -u 1 3
sar -r
sar -n DEV 1 2
pidstat 1 2
pidstat -d 1 3
top -b -n 1 | head -20
top -bn1 -o %MEM | head -n 17
ps aux --sort=-%mem | head -n 15
ps aux --sort=-%cpu | head
ps -eo pid,ppid,user,%cpu,%mem,etime,cmd --sort=-%cpu | head -20
ps -ef | grep [n]ginx
ps -ef | grep nginx | grep -v grep
ps aux | awk '{print $6/1024 " MB\\t" $11}' | sort -rn | head
ps -p 1234 -o pid,lstart,etime,cmd
ps -fp 1
ps -eLf | wc -l
pgrep -af java
pidof nginx
pstree -ap
cat /proc/1/status
cat /proc/1234/limits
ls -l /proc/1234/fd
cat /proc/loadavg
nproc
lscpu
lscpu | grep -i model
numactl --hardware
slabtop -o
dmesg -T | grep -i oom
dmesg -T | tail -50
dmesg --level=err,warn -T
dmesg | grep -iE 'error|fail'
ulimit -a
sysctl vm.swappiness
sysctl -a | grep net.ipv4.tcp
sysctl -n fs.file-max
cat /proc/sys/fs/file-nr
cat /proc/pressure/memory
`,
  network: `
ip a
ip -br a
ip addr show eth0
ip route
ip -6 route
ip route get 8.8.8.8
ip neigh
ip -s link
ip rule list
ss -tulpn
ss -s
ss -tnp state established
ss -lntp | grep ':443'
ss -tan | awk '{print $1}' | sort | uniq -c
netstat -tulpn
netstat -rn
netstat -s | head -30
ifconfig
ifconfig eth0
route -n
arp -n
ping -c 4 192.0.2.1
ping -c 3 -W 2 example.com
traceroute example.com
traceroute -n 192.0.2.1
mtr -r -c 5 example.com
tracepath example.com
ethtool eth0
ethtool -S eth0
ethtool -i eth0
cat /etc/resolv.conf
cat /etc/hosts
cat /proc/net/dev
resolvectl status
nmcli device status
nmcli connection show
nmcli general status
networkctl status
networkctl list
bridge link show
tc -s qdisc show dev eth0
iptables -L -n -v
iptables -S
iptables -t nat -L -n --line-numbers
ip6tables -L -n
nft list ruleset
ufw status verbose
ufw status numbered
firewall-cmd --list-all
firewall-cmd --state
conntrack -L
lsof -i :8080
lsof -iTCP -sTCP:LISTEN -n -P
fuser 80/tcp
curl -I https://example.com
curl -sS http://localhost:8080/health
curl -s -o /dev/null -w '%{http_code}\\n' https://example.com
curl -sv https://example.com 2>&1 | head -40
curl -fsS http://127.0.0.1:9090/-/healthy
curl -s http://localhost/nginx_status
wget -qO- http://localhost/server-status
nc -zv localhost 5432
wg show
hostname -I
`,
  names: `
dig example.com
dig +short example.com
dig @1.1.1.1 example.com A +short
dig example.com MX
dig -x 192.0.2.1 +short
dig +trace example.com
host example.com
host -t txt example.com
nslookup example.com
nslookup example.com 1.1.1.1
getent hosts example.com
resolvectl query example.com
resolvectl statistics
`,
  certificates: `
openssl x509 -in /etc/ssl/certs/site.pem -noout -dates
openssl x509 -noout -text -in /etc/nginx/ssl/site.crt
openssl x509 -enddate -noout -in /etc/letsencrypt/live/example.com/cert.pem
openssl s_client -connect example.com:443 -servername example.com </dev/null
echo | openssl s_client -connect example.com:443 2>/dev/null | openssl x509 -noout -dates
openssl s_client -showcerts -connect localhost:443 </dev/null 2>/dev/null | openssl x509 -noout -subject -issuer -enddate
openssl version
openssl verify -CAfile /etc/ssl/ca.pem /etc/ssl/site.pem
openssl req -in site.csr -noout -text
openssl crl -in /etc/ssl/crl.pem -noout -text
certbot certificates
ls -l /etc/letsencrypt/live/example.com
ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub
ssh-keygen -l -f ~/.ssh/authorized_keys
`,
  services: `
systemctl status nginx
systemctl status nginx --no-pager -l
systemctl --failed
systemctl list-units --state=failed
systemctl list-units --type=service --state=running --no-pager
systemctl list-unit-files --state=enabled
systemctl is-active nginx postgresql
systemctl is-enabled docker
systemctl show nginx -p MainPID,ActiveState,NRestarts
systemctl cat nginx
systemctl list-timers --all
systemctl list-dependencies multi-user.target
systemctl get-default
systemd-analyze
systemd-analyze blame
systemd-analyze critical-chain
systemd-analyze verify /etc/systemd/system/app.service
systemd-cgls --no-pager
systemd-cgtop -b -n 1
systemd-detect-virt
service --status-all
service nginx status
timedatectl
timedatectl status
timedatectl show
timedatectl timesync-status
chronyc tracking
chronyc sources -v
ntpq -p
hostnamectl
localectl status
loginctl list-sessions
loginctl show-session 3
supervisorctl status
nginx -t
nginx -T
nginx -V
nginx -v
apachectl -t
apachectl -S
apache2ctl -M
haproxy -c -f /etc/haproxy/haproxy.cfg
sshd -T
postconf -n
mailq
postqueue -p
php -v
php -m
php-fpm -t
varnishstat -1
`,
  logs: `
journalctl -u nginx -n 100 --no-pager
journalctl -u app --since '1 hour ago' --no-pager
journalctl -u app --since today -p err
journalctl -xe --no-pager
journalctl -b -1 -p err --no-pager
journalctl -k --since yesterday
journalctl --disk-usage
journalctl --list-boots
journalctl -u ssh -o json -n 5
journalctl _PID=1234 -n 50
journalctl -t sshd --since '2024-01-01 10:00' --until '2024-01-01 11:00'
journalctl -u nginx --no-pager | grep -i error | tail -20
tail -n 200 /var/log/syslog
tail -100 /var/log/nginx/error.log
tail -n 50 /var/log/nginx/access.log | awk '{print $9}' | sort | uniq -c | sort -rn
awk '{print $1}' /var/log/nginx/access.log | sort | uniq -c | sort -nr | head -20
awk '$9 >= 500' /var/log/nginx/access.log | tail -n 20
awk -F: '$3 >= 1000 {print $1}' /etc/passwd
awk '{s+=$10} END {print s}' /var/log/nginx/access.log
grep -i error /var/log/syslog | tail -n 50
grep -rn 'listen 80' /etc/nginx
grep -c ' 500 ' /var/log/nginx/access.log
grep -E 'Failed|Invalid' /var/log/auth.log | tail -20
grep 'Accepted publickey' /var/log/auth.log | awk '{print $9, $11}' | sort | uniq -c
zgrep -i error /var/log/syslog.2.gz
zcat /var/log/nginx/access.log.2.gz | head
zcat -f /var/log/nginx/access.log* | wc -l
xzcat /var/log/messages.xz | tail
zless /var/log/syslog.1.gz
less /var/log/syslog
sed -n '100,150p' /var/log/app/app.log
sed -n '/10:00/,/10:05/p' /var/log/app/app.log
sed 's/^.*error/error/' /var/log/app/app.log | sort | uniq -c
cut -d' ' -f1 /var/log/nginx/access.log | sort | uniq -c | sort -rn | head
head -n 1 /var/log/app/app.log
wc -l /var/log/nginx/*.log
cat /var/log/app/app.log | jq -r .level | sort | uniq -c
jq . /etc/docker/daemon.json
jq -r '.items[] | .name' /srv/app/data.json
last -n 20
lastlog
lastb -n 10
who
w
`,
  containers: `
docker ps
docker ps -a
docker ps --format 'table {{.Names}}\\t{{.Status}}\\t{{.Ports}}'
docker images
docker logs --tail 100 web
docker logs --since 10m web 2>&1 | grep -i error
docker inspect web
docker inspect -f '{{.State.Health.Status}}' web
docker inspect --format '{{json .NetworkSettings.Networks}}' web | jq .
docker stats --no-stream
docker top web
docker port web
docker system df
docker info
docker version
docker network ls
docker network inspect bridge
docker volume ls
docker volume inspect data
docker diff web
docker history app:latest
docker compose ps
docker compose logs --tail 50 web
docker compose -f /srv/app/compose.yml ps
docker compose config
docker context ls
docker-compose ps
podman ps -a
podman logs --tail 50 web
podman inspect web
crictl ps
crictl pods
docker exec web ps aux
docker service ls
docker node ls
`,
  clusters: `
kubectl get pods
kubectl get pods -A
kubectl get pods -n prod -o wide
kubectl get nodes -o wide
kubectl get svc,ing -n prod
kubectl get deploy web -n prod -o yaml
kubectl get events -n prod --sort-by=.lastTimestamp
kubectl get pods -A --field-selector=status.phase!=Running
kubectl get pod web-0 -o jsonpath='{.status.phase}'
kubectl describe pod web-0 -n prod
kubectl describe node node1
kubectl logs web-0 -n prod --tail=100
kubectl logs -l app=web -n prod --since=10m
kubectl logs web-0 -c sidecar --previous
kubectl top nodes
kubectl top pods -n prod --sort-by=memory
kubectl version
kubectl cluster-info
kubectl config current-context
kubectl config get-contexts
kubectl rollout status deploy/web -n prod
kubectl rollout history deploy/web -n prod
kubectl auth can-i create pods
kubectl api-resources
kubectl explain pod.spec
helm list -A
helm status web -n prod
helm history web
helm get values web
`,
  databases: `
psql -c '\\l'
psql -U postgres -c 'select count(*) from pg_stat_activity'
psql -l
psql --version
pg_isready
pg_lsclusters
mysql -e 'SHOW PROCESSLIST'
mysqladmin status
mysqladmin ping
redis-cli ping
redis-cli info
redis-cli info memory
redis-cli dbsize
redis-cli -h 127.0.0.1 -p 6379 info replication
redis-cli slowlog get 10
redis-cli client list
redis-cli get session:1
mongosh --eval 'db.stats()'
sqlite3 -readonly /srv/app/app.db 'select count(*) from users'
`,
  packages: `
dpkg -l | grep nginx
dpkg -S /usr/sbin/nginx
dpkg -L nginx
dpkg -s openssl | grep Version
apt list --installed
apt list --upgradable
apt-cache policy nginx
apt-cache show nginx
apt policy nginx
apt show nginx
apt-mark showhold
apt-cache search nginx
apt-cache depends nginx
rpm -qa | grep kernel
rpm -qi openssl
rpm -ql nginx
rpm -q --changelog openssl | head
yum list installed
dnf list installed
dnf history
dnf info nginx
dnf repolist
apk info
apk info -v
pacman -Q
pacman -Qi openssl
snap list
flatpak list
pip list
pip3 show requests
pip freeze
npm ls -g --depth=0
npm -v
node -v
python3 --version
java -version
ruby -v
go version
gem list
cat /etc/os-release
lsb_release -a
uname -r
needrestart -b
which nginx
ls -l /usr/bin/python3
whereis nginx
readlink -f /usr/bin/java
update-alternatives --display java
cat /etc/apt/sources.list
ls /etc/apt/sources.list.d
`,
  peopleAndTimes: `
whoami
id
id deploy
groups deploy
getent passwd deploy
getent group docker
cat /etc/passwd
cut -d: -f1,7 /etc/passwd
chage -l deploy
crontab -l
crontab -l -u deploy
ls -la /etc/cron.d /etc/cron.daily
cat /etc/crontab
grep -r . /etc/cron.d
atq
at -l
date
date -u
date +%s
cal
cat ~/.ssh/authorized_keys
ls -la ~/.ssh
lslogins
faillock --user deploy
getfacl /srv/app
lsattr /etc/resolv.conf
namei -l /srv/app/current
env
env | sort
printenv PATH
echo $PATH
echo $HOME
echo "$SHELL"
locale
umask
tty
uname -a
`,
  security: `
getenforce
sestatus
aa-status
auditctl -l
ausearch -m avc -ts recent
fail2ban-client status
fail2ban-client status sshd
ls -Z /var/www
find / -xdev -perm -4000 -type f
find /srv -user www-data -type d
find /var/www -name '*.php' -newermt '2024-01-01'
sha256sum /usr/sbin/sshd
md5sum /etc/passwd
file /srv/app/bin/server
grep -vE '^(#|$)' /etc/ssh/sshd_config
sshd -t
`,
  hardware: `
lspci
lspci -nnk
lspci -vv -s 00:1f.2
lsusb
lsmod
lsmod | grep nvidia
modinfo e1000e
dmidecode -t memory
dmidecode -s system-serial-number
lshw -short
sensors
ipmitool sensor list
ipmitool sel list
nvidia-smi
lsmem
lscpu -e
hwclock -r
cat /proc/cpuinfo | grep 'model name' | uniq
cat /sys/class/thermal/thermal_zone0/temp
cat /sys/class/net/eth0/speed
cat /sys/block/sda/queue/rotational
efibootmgr -v
uname -m
`,
  code: `
git status
git log --oneline -10
git -C /srv/app log -1
git -C /srv/app rev-parse HEAD
git branch -a
git diff --stat
git remote -v
cat /srv/app/package.json | jq .version
tar -tzf /srv/backup/app.tar.gz | head
tar tvf /srv/backup/app.tar
unzip -l /srv/backup/app.zip
zcat /srv/backup/db.sql.gz | head -n 50
gzip -l /srv/backup/db.sql.gz
diff /etc/nginx/nginx.conf /etc/nginx/nginx.conf.bak
diff -u /etc/nginx/sites-enabled/a /etc/nginx/sites-enabled/b
comm -3 /tmp/a /tmp/b
cmp /tmp/a /tmp/b
wc -c /srv/app/data.json
xxd -l 64 /srv/app/data.bin
hexdump -C /srv/app/data.bin | head
strings /srv/app/bin/server | grep -i version
base64 -d /tmp/x.b64
yq .services /srv/app/compose.yml
ls -1 /srv/app/releases | tail -5
du -sh /srv/app/releases/*
timeout 5 df -h
timeout 10 curl -s http://localhost:8080/health
nice -n 19 du -sh /srv
find /srv/app -name '*.log' | xargs ls -lh
ls /etc/nginx/sites-enabled | xargs -n1 echo
for i in 1 2 3; do uptime; done
for h in a b; do getent hosts $h; done
cat /etc/nginx/nginx.conf | grep -v '#'
test -f /var/run/reboot-required && cat /var/run/reboot-required
[ -e /var/run/nginx.pid ] && cat /var/run/nginx.pid
ps -fp $(cat /var/run/nginx.pid)
ls -l $(which python3)
cd /srv/app && ls -la && cat package.json
`,
  incidents: `
uptime && free -h && df -h
df -h 2>/dev/null | grep -v tmpfs
df -h | awk 'NR==1 || $5+0 > 80'
df -h --total | tail -1
df -Th / | tail -n1 | awk '{print $6}'
du -sh * | sort -h
du -sh /home/* 2>/dev/null | sort -rh | head -10
du -sh .[!.]* * 2>/dev/null
du -xh --max-depth=2 /var 2>/dev/null | sort -rh | head -n 20
du -d 1 -h /opt | sort -hr
find /var/log -type f -name '*.gz' -size +50M -exec ls -lh {} \\;
find /var/log -type f -exec du -h {} + | sort -rh | head -20
find / -xdev -type f -size +1G 2>/dev/null | head
find /etc -name '*.conf' | xargs grep -l 'ssl_certificate'
find /etc -name '*.conf' -print0 | xargs -0 grep -n timeout
find /var/www -type f -perm -o+w
find /home -maxdepth 2 -name .bash_history -exec wc -l {} \\;
find /tmp -type s
find . -type f -name '*.py' | xargs wc -l | tail -1
find /var/spool -type f | wc -l
find /opt/app -newer /opt/app/VERSION -type f
ls -la --time-style=full-iso /var/log
ls -lhS /var/log | head
ls -lt | head -20
ls -d */
ls *.log
ls -la /proc/1234/cwd
ls /sys/class/net
ls -1 /etc/systemd/system/*.service
ls -l /dev/disk/by-uuid
ls -l /dev/mapper
lsblk -f
lsblk -d -o NAME,ROTA,SIZE,MODEL
blkid /dev/sda1
mount | column -t
mount | grep nfs
cat /proc/cpuinfo | grep -c processor
cat /proc/net/sockstat
cat /proc/net/tcp | wc -l
cat /proc/interrupts | head -20
cat /proc/vmstat | grep -E 'oom|swap'
cat /proc/buddyinfo
cat /proc/sys/net/core/somaxconn
cat /proc/sys/vm/overcommit_memory
cat /proc/self/cgroup
cat /proc/1/cgroup
cat /proc/1234/environ | tr '\\0' '\\n'
cat /proc/1234/cmdline | tr '\\0' ' '
cat /proc/$(pgrep -o nginx)/limits
cat /sys/fs/cgroup/memory.max
cat /sys/kernel/mm/transparent_hugepage/enabled
cat /etc/*release
cat /etc/*-release
cat /etc/os-release | grep PRETTY_NAME
cat /etc/nginx/nginx.conf
cat /etc/nginx/sites-enabled/*
cat /etc/systemd/system/app.service
cat /etc/ssh/sshd_config | grep -v '^#' | grep -v '^$'
cat /var/log/messages | grep -i error | tail -n 50
cat /etc/passwd | cut -d: -f1
cat /etc/passwd | awk -F: '{print $1":"$7}'
cat /etc/group | grep sudo
free -m | awk 'NR==2{printf "%.2f%%\\n", $3*100/$2}'
free -m | awk '/Mem/ {print $3}'
free -g -t
top -bn1 | head -20
top -b -n 1 -c | head -n 30
top -b -n1 -H -p 1234 | head -40
ps aux | head -20
ps aux --sort -rss | head -11
ps aux | sort -nrk 3,3 | head -n 5
ps aux | grep -c '[h]ttpd'
ps auxf
ps -ef --forest
ps -eo pid,stat,wchan:30,cmd | awk '$2 ~ /D/'
ps -eo state,pid,cmd | grep '^D'
ps -A -o stat,ppid,pid,cmd | grep -e '^[Zz]'
ps -o pid,user,rss,vsz,comm -C nginx
ps -p $(pidof nginx) -o pid,etime,cmd
ps -L -p 1234 -o pid,tid,psr,pcpu,comm
ps -u www-data -o pid,cmd
ps axo user:20,pid,pcpu,pmem,vsz,rss,start,time,comm | head
ps -T -p 1234
pgrep -l nginx
pgrep -u root -a sshd
pgrep -c java
pidstat -u 1 3
pidstat -r -p 1234 1 2
pmap -x 1234 | tail -1
pmap 1234
iostat -dx 1 2
iostat -x sda 1 2
iostat -m -p sda
iotop -b -n 1 -o | head
sar -q
sar -u -f /var/log/sa/sa15
sar -A | head -50
sar -n TCP,ETCP 1 3
vmstat 1 3
vmstat -d
vmstat -w 1 2
mpstat -P ALL
nproc --all
lscpu | grep -E 'Model name|Socket|Thread'
lsof -p 1234
lsof -p 1234 | wc -l
lsof -u www-data | head
lsof -i -P -n | grep LISTEN
lsof -nP -iTCP:8080 -sTCP:LISTEN
lsof -t -i:80
lsof | awk '{print $1}' | sort | uniq -c | sort -rn | head
lsof +D /var/lib/mysql | head
ss -tlnp
ss -plnt | grep 8080
ss -ant | awk 'NR>1 {print $1}' | sort | uniq -c
ss -tn state established '( dport = :443 or sport = :443 )'
ss -o state time-wait | wc -l
ss -ti
ss -xlp
ss -tunap 2>/dev/null | head -40
ss -tan | awk '{print $5}' | cut -d: -f1 | sort | uniq -c | sort -rn | head
netstat -plant
netstat -an | grep ESTABLISHED | wc -l
netstat -i
netstat -s | grep -i retrans
ip -c a
ip a s eth0
ip addr show | grep inet
ip r
ip r s
ip -s -s link show eth0
ip -o -4 addr show | awk '{print $2, $4}'
ip route show table all
ip rule
ip neigh show
ip -6 addr
ip -d link show
ip netns
ip link show type bridge
cat /sys/class/net/eth0/operstate
dig +noall +answer example.com
dig +short -x 192.0.2.1
dig example.com NS +short
dig @8.8.8.8 example.com
host example.com 8.8.8.8
nslookup -type=mx example.com
getent ahosts example.com
ping -c 3 example.com
ping -c1 -W1 192.0.2.1 >/dev/null 2>&1 && echo up || echo down
ping -c 3 -i 0.5 192.0.2.1
traceroute -n -w 2 example.com
mtr -rwc 10 example.com
mtr --report --report-cycles 5 example.com
nc -zv 192.0.2.1 22
nc -zvw3 db.example.com 5432
nc -z -w 2 localhost 6379 && echo open
curl -sI https://example.com
curl -sI https://example.com/ | head -n 1
curl -I -L https://example.com
curl -s localhost:9200/_cluster/health?pretty
curl -s 'localhost:9200/_cat/indices?v'
curl -s http://localhost:9200/_cat/nodes
curl -s http://localhost:8080/actuator/health | jq .
curl -s http://localhost:9090/api/v1/targets | jq '.data.activeTargets | length'
curl -s http://127.0.0.1:2019/config/
curl -s -o /dev/null -w "%{http_code} %{time_total}\\n" http://localhost/
curl -sk https://localhost:6443/healthz
curl -s http://169.254.169.254/latest/meta-data/instance-id
curl -s ifconfig.me
curl -fsSL https://example.com/robots.txt
curl -s --max-time 5 http://localhost:3000/health
curl -v telnet://localhost:25
timeout 5 curl -s http://localhost:8080/status
timeout 3 bash -c '</dev/tcp/localhost/22' && echo open
wget -q -O - http://localhost/health
wget --spider https://example.com
openssl s_client -connect example.com:443 -servername example.com </dev/null 2>/dev/null | openssl x509 -noout -enddate
echo | openssl s_client -servername example.com -connect example.com:443 2>/dev/null | openssl x509 -noout -dates
openssl x509 -in /etc/ssl/certs/x.pem -noout -subject -issuer -dates
openssl x509 -in x.pem -noout -checkend 86400
openssl x509 -in x.pem -noout -ext subjectAltName
openssl x509 -noout -modulus -in x.crt | openssl md5
openssl ciphers -v
openssl version -a
systemctl status nginx --no-pager
systemctl status sshd | head -n 20
systemctl --no-pager status nginx.service
systemctl list-units --type=service --no-pager
systemctl list-units --failed --no-pager --no-legend
systemctl list-units --all --state=inactive
systemctl --type=service --state=running
systemctl is-active nginx && echo ok
systemctl is-system-running
systemctl show -p ActiveState --value nginx
systemctl show nginx --property=MainPID --value
systemctl show --property=Environment docker
systemctl list-dependencies nginx
systemctl list-sockets
systemctl list-timers --no-pager
systemctl cat docker.service
systemctl show-environment
systemctl --version
systemctl is-enabled nginx 2>/dev/null || echo disabled
journalctl -u nginx --since "1 hour ago" --no-pager | tail -50
journalctl -p 3 -xb --no-pager
journalctl -p err..alert --since today --no-pager
journalctl -u docker.service -n 50 --no-pager -o short-iso
journalctl --since "2024-01-01" --until "2024-01-02" -u sshd
journalctl -k -b --no-pager | grep -i oom
journalctl _SYSTEMD_UNIT=nginx.service -n 20
journalctl -b -1 --no-pager | tail -n 100
journalctl -u app -o cat | grep -c ERROR
journalctl --no-pager -n 100
journalctl -eu nginx --no-pager
journalctl --verify
journalctl -n 20 -r
tail -n 100 /var/log/nginx/error.log | grep -E 'crit|emerg'
tail -n +1 /etc/cron.d/*
tail -n 20 /var/log/*.log
head -c 200 /etc/machine-id
grep -rn "server_name" /etc/nginx/sites-enabled/
grep -ri 'max_connections' /etc/mysql/ 2>/dev/null
grep -E '^(PermitRootLogin|PasswordAuthentication)' /etc/ssh/sshd_config
grep -c . /var/log/auth.log
grep -oE '[0-9]+\\.[0-9]+\\.[0-9]+\\.[0-9]+' /var/log/auth.log | sort | uniq -c | sort -rn | head -10
grep -l error /var/log/*.log
grep -h ERROR /var/log/app/*.log | tail -n 5
grep -A5 -B2 'Exception' /srv/app/log/app.log | head -60
grep "$(date +%d/%b/%Y)" /var/log/nginx/access.log | wc -l
grep -v '^#' /etc/fstab | grep -v '^$'
egrep -v '^\\s*(#|$)' /etc/postfix/main.cf
awk '{print $7}' /var/log/nginx/access.log | sort | uniq -c | sort -rn | head -20
awk '$9 ~ /^5/ {print $7}' /var/log/nginx/access.log | sort | uniq -c
awk '$9>=500 {c[$7]++} END {for (u in c) print c[u], u}' /var/log/nginx/access.log | sort -rn | head
awk -F'"' '{print $6}' /var/log/nginx/access.log | sort | uniq -c | sort -rn
awk 'NR>=100 && NR<=120' /srv/app/config.yml
awk '/Failed password/ {print $(NF-3)}' /var/log/auth.log | sort | uniq -c
awk -F: '($3 == 0) {print $1}' /etc/passwd
awk '{sum += $1} END {print sum/NR}' /tmp/x
awk -F'[ :]' '{print $5}' /var/log/nginx/access.log
awk 'length > 200' /srv/app/x.log
sed -n '1,50p' /etc/nginx/nginx.conf
sed -n '/server {/,/}/p' /etc/nginx/sites-enabled/default
sed -e 's/#.*$//' -e '/^$/d' /etc/nginx/nginx.conf
sed '/^#/d;/^$/d' /etc/ssh/sshd_config
sed '/^\\s*#/d' /etc/ssh/sshd_config
sed -n '$p' /var/log/syslog
cut -d' ' -f1 /var/log/nginx/access.log | sort -u | wc -l
tr -s ' ' < /proc/loadavg
sort -t, -k3 -rn /tmp/data.csv | head
comm -13 <(sort a) <(sort b)
diff <(ls /a) <(ls /b)
jq -r '.[] | select(.status=="error") | .message' /srv/app/log.json
jq '.dependencies | keys' package.json
jq --arg n web '.services[$n]' x.json
jq length x.json
zcat /var/log/syslog.*.gz | grep -i oom
zgrep -h 'OOM' /var/log/kern.log*.gz
zgrep -c error /var/log/syslog.1.gz
less /etc/hosts
more /etc/hosts
stat -c '%a %U:%G %n' /etc/shadow
stat -f /
file /usr/sbin/nginx
readlink -f /proc/1234/exe
ls -l /proc/1234/exe
md5sum /usr/bin/ssh
sha256sum /srv/app/*.jar
who -b
last -n 10
last reboot | head
last -x shutdown | head -5
lastlog -u deploy
w -h
id www-data
groups
getent group sudo
getent passwd | wc -l
sysctl -a 2>/dev/null | grep -i tcp_keepalive
sysctl net.ipv4.ip_forward vm.swappiness
sysctl net.core
crontab -l 2>/dev/null
crontab -u www-data -l
ls -la /etc/cron.*
for u in root deploy; do crontab -l -u $u; done
cat /var/spool/cron/crontabs/root
docker ps --no-trunc
docker ps -a --filter status=exited
docker ps -q | wc -l
docker ps -aq --filter 'health=unhealthy'
docker ps --format '{{.Names}}: {{.Status}}'
docker logs --tail=50 web
docker logs web 2>&1 | tail -n 50
docker logs --tail 200 --timestamps web
docker logs web --since 1h | grep ERROR
docker inspect --format='{{.State.Pid}}' web
docker inspect web | jq '.[0].State'
docker inspect $(docker ps -q)
docker stats --no-stream --format 'table {{.Name}}\\t{{.CPUPerc}}\\t{{.MemUsage}}'
docker stats --no-stream web db
docker system df -v
docker images --format '{{.Repository}}:{{.Tag}} {{.Size}}'
docker image ls -f dangling=true
docker volume ls -qf dangling=true
docker network inspect bridge -f '{{json .Containers}}'
docker info --format '{{.ServerVersion}}'
docker info 2>/dev/null | grep -i 'storage driver'
docker version --format '{{.Server.Version}}'
docker compose ps -a
docker compose -f docker-compose.yml logs --tail=100 app
docker compose ls
docker events --since 10m --until 0m
docker container ls -a
docker port web 80
kubectl get pods -o wide
kubectl get pods --all-namespaces | grep -v Running
kubectl get po -n kube-system
kubectl get pods -n prod -l app=web --show-labels
kubectl get events --sort-by='.metadata.creationTimestamp' | tail -20
kubectl get events -A --field-selector type=Warning
kubectl get all -n default
kubectl get nodes
kubectl get pvc,pv
kubectl get cm app -o yaml
kubectl get pods -o jsonpath='{.items[*].metadata.name}'
kubectl get pods -o custom-columns=NAME:.metadata.name,NODE:.spec.nodeName
kubectl get deploy -o json | jq '.items[].spec.replicas'
kubectl -n prod get pods
kubectl -n prod describe pod web-0
kubectl --context prod get nodes
kubectl describe svc web
kubectl describe node | grep -A5 Allocated
kubectl logs deploy/web --tail=100
kubectl logs web-0 -n prod --previous
kubectl logs web-0 --since=1h | grep -i error
kubectl logs -n prod web-0 -c app --tail 50 --timestamps
kubectl top pod -A --sort-by=cpu
kubectl top pods -n prod --containers
kubectl version --client
kubectl rollout history deployment/web
kubectl get ingress -A
kubectl get hpa
kubectl api-versions
kubectl config view --minify
kubectl get endpoints web
kubectl events -n prod
helm ls -n prod
helm list --all-namespaces
helm get manifest web -n prod
helm history web -n prod --max 5
helm status web
crictl ps -a
crictl logs --tail 20 abc
psql -U postgres -c 'SELECT version();'
psql -U postgres -d app -c 'SELECT count(*) FROM pg_stat_activity;'
psql -U postgres -c "SELECT pid, state, query FROM pg_stat_activity WHERE state <> 'idle';"
psql -At -c 'show max_connections'
psql -d app -c '\\dt+'
pg_isready -h localhost -p 5432
mysql -e 'SHOW FULL PROCESSLIST;'
mysql -e "SHOW STATUS LIKE 'Threads%';"
mysql -e 'SHOW ENGINE INNODB STATUS\\G'
mysql -e 'SHOW SLAVE STATUS\\G'
mysqladmin -u root status
mysqladmin processlist
redis-cli info stats
redis-cli INFO memory | grep used_memory_human
redis-cli -n 1 dbsize
redis-cli --latency-history -i 1
redis-cli ttl key
mongo --eval 'db.serverStatus()'
rabbitmqctl list_queues
rabbitmqctl status
nginx -T | grep server_name
haproxy -vv
php -i | grep memory_limit
node --version && npm --version
python3 -V
python3 --version 2>&1
java -version 2>&1 | head -1
gcc --version
bash --version | head -1
ssh -V
docker --version
kubectl version --client -o yaml
dpkg -l | grep -i linux-image
dpkg -l nginx
dpkg-query -W -f='\${Package} \${Version}\\n' nginx
dpkg --get-selections | grep -v deinstall
apt list --upgradable 2>/dev/null
apt-cache policy docker-ce
rpm -qa --last | head
rpm -qa | sort
rpm -q nginx
rpm -qf /usr/sbin/nginx
rpm -V openssh-server
yum list installed | grep php
dnf list --installed
dnf history | head
pip list 2>/dev/null | grep -i django
pip show flask
npm list -g --depth=0
uname -a; cat /etc/os-release; uptime
hostname -f
hostname; whoami; date
hostnamectl | grep Kernel
timedatectl status | grep synchronized
date '+%Y-%m-%d %H:%M:%S %Z'
date -d '1 hour ago' +%s
cal 2024
echo "Disk:"; df -h; echo "Mem:"; free -m
echo "== $(hostname) =="; uptime
echo $HOSTNAME
echo "$USER@$(hostname)"
echo $?
echo "Load: $(cat /proc/loadavg)"
ls "$HOME"
ls -la $HOME/.ssh
cat "$HOME/.bashrc"
cat ~/.bashrc
printenv | sort
env | grep -i proxy
set | head
type ls
which nginx php python3
command -v docker
test -d /srv/app && echo yes
[ -f /etc/redhat-release ] && cat /etc/redhat-release
if [ -f /var/run/reboot-required ]; then echo yes; fi
for s in nginx mysql redis; do systemctl is-active $s; done
for s in nginx php-fpm; do echo "$s: $(systemctl is-active $s)"; done
for f in /var/log/*.log; do wc -l "$f"; done
for i in 1 2 3; do uptime; sleep 1; done
while read -r l; do echo "$l"; done < /etc/hosts
sleep 2; uptime
time ls /srv
nice -n 10 du -sh /var
ionice -c3 du -sh /srv
timeout 10 du -sh /data
timeout --signal=KILL 10 df -h
timeout -k 5 10 ls /mnt/nfs
sh -c 'df -h'
bash -c 'ls -la /srv && df -h'
ls /nonexistent &>/dev/null || echo missing
systemctl is-active nginx &>/dev/null && echo up
ls /var/log/{nginx,apache2} 2>/dev/null
cat /etc/{hosts,resolv.conf}
iptables -L -n --line-numbers
iptables -S INPUT
iptables -t nat -S
iptables-save
nft list tables
ufw status
firewall-cmd --list-ports
ausearch -m avc -ts today
smartctl -H /dev/nvme0n1
smartctl -l error /dev/sda
lspci | grep -i ethernet
lsusb -t
dmidecode -s system-product-name
dmesg | tail -50
dmesg -T | tail
dmesg -T --level=err,crit,alert,emerg
dmesg -H --nopager | tail
mdadm --detail --scan
pvs; vgs; lvs
lvs -o +lv_size,data_percent
zpool status -x
zpool iostat -v
zfs list -o name,used,avail
btrfs fi usage /
xfs_info /dev/sda1
dumpe2fs -h /dev/sda1
nfsstat -c
showmount -e localhost
exportfs -v
multipath -ll
git -C /srv/app status
git -C /srv/app log --oneline -5
git -C /srv/app rev-parse --short HEAD
git log -1 --format=%H
git diff HEAD~1 --stat
git branch --show-current
timedatectl show --property=NTPSynchronized --value
loginctl list-users
tree -aL 2 /srv/app
tree -d -L 3 /srv
wc -l *.log
tac /var/log/syslog | grep -m1 error
xargs -a /tmp/hosts.txt -n1 getent hosts
cat /tmp/pids | xargs ps -o pid,cmd -p
pidof nginx | xargs -n1 pwdx
pwdx 1234
ldd /usr/sbin/nginx
nm -D /usr/lib/x.so | head
strace -V
ulimit -n
ulimit -Hn
getconf PAGE_SIZE
locale -a | head
ls -laR /srv/app | head -100
watch -n1 -t df
seq 1 5
seq 5 | xargs -I{} echo {}
base64 -d <<< aGVsbG8=
printf '%s\\n' a b c
expr 1 + 2
basename /srv/app/x.log .log
factor 12
nl -ba /etc/hosts
column -t -s: /etc/passwd
split --version
hexdump -C -n 32 /srv/app/x
`,
};
