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
};
