"""Tables: which commands need what, and which command lines are found out. A command
that is in no table needs nothing that is known.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Final

UNKNOWN: Final = "\ue001"  # some text that is not known
MADE: Final = "\ue002"  # some text that is downloaded, decoded or computed
SELF: Final = "\ue003"  # the script's own path
BREAK: Final = "\ue004"  # the end of a field in an expanded word
HOME: Final = "/home/\ue000"  # the home folder, in a text that a script comes to
Rows = list[tuple[str, re.Pattern[str]]]  # a rule, and the texts that meet it
MARKERS: Final = re.compile("[\ue000-\ue004]")


def named(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


SHELLS: Final = named(
    "sh bash dash zsh ksh ksh93 mksh ash fish csh tcsh yash rbash posh osh oksh elvish nu xonsh"
)
DESTROYS: Final = named(
    "rm dd mv chmod chown find shred sudo mkfs mkfs.ext4 mkfs.xfs -exec -execdir -ok -okdir"
)
"""A command begins with these, also among the words of another one; or behind these options of `find`."""
PRINTS_WORDS: Final = named(
    "echo printf grep egrep fgrep rg ag man which type whatis apropos help info tldr"
)
PASSES_ON: Final = named("cat tee head tail sort uniq nl column less more pv sponge")
HARMLESS: Final = (
    PRINTS_WORDS
    | PASSES_ON
    | named("""
[ [[ test false exit return break continue wait sleep date ls pwd stat file du df wc cut paste join comm diff cmp tr
rev tac fold fmt expand seq sed jq yq xmllint xxd od hexdump strings base64 base32 basename dirname realpath mktemp
md5sum sha1sum sha256sum sha512sum gzip gunzip zcat bzip2 xz zstd tar cpio unzip zip 7z iconv openssl gpg mkdir cd
rmdir rm mv cp ln touch chmod tree dd bc expr numfmt shuf whoami id uname hostname kill umask ulimit curl wget find
< > : true
""")
)
"""Programs that run neither their input nor, by themselves, a file of the working directory."""
MESSAGES: Final = named("-m -am --message --grep --title --body")
PRINTS: Final = {
    "jobs": "%1",
    "nproc": "1",
    "id -u": "1",
    "pwd": ".",
    f"dirname {SELF}": ".",
    "mktemp": f"/tmp/{UNKNOWN}",  # noqa: S108 - a script's path
    "mktemp -d": f"/tmp/{UNKNOWN}",  # noqa: S108
}
LANGUAGES: Final = re.compile(
    r"i?python[\d.]*|pypy\d?|[gmn]?awk|perl[\d.]*|ruby[\d.]*|irb|node|nodejs|php[\d.]*|lua[\d.]*|luajit|Rscript|R|osascript|"
    r"pwsh|powershell|tclsh[\d.]*|wish|expect|guile|racket|sbcl|clisp|runghc|ghci|scala|groovy|elixir|erl|julia|octave|"
    r"ocaml|tsx|ts-node|jshell|raku|clojure|gnuplot"
)
CODE_RUNS: Final = re.compile(
    r"(?i)system|exec|spawn|popen|process|run|call|command|shell|\bsh\b|qx|`|\|"
)
MAY_REJECT: Final = re.compile(
    r"\b(?:rm|dd|mkfs|mv|chmod|chown|find|shred|sh|bash|kill|wipefs)\b|/dev/|\)\s*\{"
)

WRAPPERS: Final[dict[str, tuple[str, int]]] = {}
"""A command → the letters of its options that take a value, and how many words of its own precede the inner command."""
for _row in """
sudo=ugpCThRDrtU=0 doas=uC=0 pkexec=-=0 env=uC=0 nohup=-=0 setsid=-=0 setarch=-=1 time=fo=0 gtime=fo=0 nice=n=0
ionice=cnpPu=0 chrt=TPD=1 taskset=-=1 stdbuf=ioe=0 unbuffer=-=0 timeout=sk=1 gtimeout=sk=1 command=-=0 builtin=-=0
exec=a=0 chroot=-=1 unshare=SGwR=0 nsenter=tSGrw=0 systemd-run=pMHuE=0 gosu=-=1 su-exec=-=1 setpriv=-=0
strace=eopsauEIOPS=0 ltrace=eopsauEnlx=0 valgrind=-=0 fakeroot=lis=0 proot=rbwq=0 firejail=-=0 bwrap=-=0
xvfb-run=nsewfp=0 chronic=-=0 torsocks=-=0 proxychains=f=0 busybox=-=0 daemonize=ceolpu=0 start-stop-daemon=xapnu=0
entr=-=0 sshpass=pfdP=0 flock=wE=1 tini=pe=0 dumb-init=r=0 dtach=-=1 systemd-nspawn=DMuiSE=0 run0=ugD=0 cross-env=-=0
xargs=IPnLdsaE=0 parallel=jSNnI=0 watch=n=0 screen=SeTtcph=0 prlimit=-=0 rlwrap=-=0 numactl=mNCpi=0 cpulimit=lpPe=0
dbus-run-session=-=0 ssh-agent=aEt=0 sg=-=1 runuser=ug=0 hyperfine=wmMrp=0 sem=j=0 uvx=-=0 npx=p=0 nix-shell=p=0 su=-=1
script=-=1 coproc=-=0
""".split():  # noqa: SIM905 - a table
    _name, _letters, _skips = _row.split("=")
    WRAPPERS[_name] = _letters.strip("-"), int(_skips)
RUNNERS: Final = WRAPPERS.keys() | named("docker podman kubectl ssh autossh")

_NEEDS: Final = """
ab ansible-playbook aria2c azcopy bettercap chisel clickhouse-client cloudflared cqlsh createdb curl dig dropdb fping
  frpc ftp grpcurl host hping3 http http-server https hydra iperf iperf3 ipfs ldapsearch lftp links localtunnel lynx
  magic-wormhole mail mailx mariadb masscan medusa minerd mitmproxy mongo mongosh mosh msmtp mtr mysql mysqladmin
  mysqldump nc ncat netcat ngrok nmap nslookup ntpdate openconnect openvpn pg_dump pg_dumpall pg_restore ping psql
  rclone rcp redis-cli rlogin rsh s3cmd s5cmd scp sendmail sftp smbclient socat speedtest speedtest-cli sqlcmd sqlmap
  ssh-copy-id ssh-keyscan sshfs sshpass sshuttle stunnel syncthing tailscale telnet tftp tor tracepath traceroute
  transmission-remote twine vncviewer w3m websocat wget wget2 whois wormhole xmrig youtube-dl yt-dlp zerotier-cli |
  network | *
addgroup adduser arecord arpspoof auditctl bpftrace btrfs bw capsh cfdisk chage chattr chpasswd chroot chsh cryptsetup
  debugfs depmod dhclient dmesg dmsetup doas dpkg-reconfigure e2fsck ebtables ethtool ettercap fdisk firewall-cmd fsck
  fswebcam gdisk gosu gpasswd groupadd groupdel groupmod grub-install halt hashcat hdparm hwclock ifdown iftop ifup
  import init insmod iotop ip6tables iptables john kexec keyctl killall5 kubeadm lastlog launchctl ldconfig logrotate
  losetup lvcreate lvremove mdadm modprobe nft nsenter nvme op parecord parted partprobe pass passwd pbpaste pivot_root
  pkexec poweroff pvcreate pvremove reboot resize2fs rmmod run0 runuser screencapture scrot secret-tool security service
  setcap setenforce sfdisk sgdisk shutdown smartctl su su-exec sudo sudoedit swapoff swapon sysctl systemd-nspawn
  systemd-run tshark ufw umount unshare update-alternatives update-ca-certificates update-grub update-initramfs useradd
  userdel usermod vgcreate vgremove virsh visudo wl-paste xclip xdotool xinput xsel zfs zpool | privilege | *
kubectl helm gcloud aws az gh glab oc doctl heroku hcloud linode-cli flyctl fly vercel netlify wrangler eksctl ibmcloud
  oci firebase argocd flux istioctl velero consul vault nomad gsutil bq ansible skopeo httpie npx bunx cpan cpanm mvn
  nix-shell uvx gradle wg-quick add-apt-repository | network | *
kubectl helm gcloud aws az gh glab oc vault firebase ansible httpie | - | alias cli completion config configure create
  env help info init kustomize lint options package plugin template topic version --offline --stop --status --list-hosts
pip pipx uv poetry pdm pipenv conda mamba npm pnpm yarn bun deno nvm rustup gem bundle composer luarocks opam stack
  cabal dotnet nuget brew flatpak guix choco scoop winget apk snap pkg port pamac zypper dnf apt vagrant packer minikube
  nix terraform tofu pulumi ollama lxc | network | add apply audit box build-dep check-update ci create create-project
  deps.get destroy develop dist-upgrade dlx download dup fetch find flake full-upgrade get global i in index info init
  inject install launch lock login ls-remote makecache outdated pip:install pip:sync plan plugin preview profile publish
  pull push ref refresh reinstall remote-add remote-ls require restore search self selfupdate self-update setup source
  start sync tap tool:install tool:run toolchain tool:update up update upgrade upgrade-all view wheel -none
pip pipx uv poetry pdm pipenv conda npm apk apt brew zypper dnf snap pkg port nix opam gem rustup dotnet terraform tofu
  pulumi lxc | - | -none
cargo | network | install fetch publish search update add login owner yank binstall build b run r test t check c bench
  doc
cargo | - | --offline --frozen
go mix hg | network | get install mod deps.get hex.publish local.hex archive.install clone pull push incoming outgoing
git | network | clone fetch pull push ls-remote send-email p4 svn lfs submodule:update submodule:add remote:update
  remote:show
svn | network | checkout co update up commit ci switch export import log list ls
docker docker-compose podman nerdctl | network | pull push run build login search create plugin up buildx:build
  compose:up compose:pull compose:build compose:run compose:push image:pull image:push image:build container:run
docker docker-compose nerdctl lxc | privilege | *
nix-env nix-channel | network | -i -iA --install -u --upgrade --update --add
npm yarn pip | write-outside | config:set config:delete config:edit config:unset c:set set
apt apk dnf zypper snap pkg port pamac | privilege | add addrepo ar autoclean autopurge autoremove cache clean delete
  disable dist-upgrade downgrade dup edit-sources enable erase fix full-upgrade group in install module patch purge ref
  refresh reinstall remove removerepo revert rm rr satisfy selfupdate swap sync up update upgrade uninstall build-dep
dpkg | privilege | -i --install -r --remove -P --purge --configure --add-architecture
rpm | privilege | -i -U -e -F --install --upgrade --erase --import -Uvh -ivh -iv -ev
pacman yay paru | - | -Q -Qi -Ql -Qs -Qe -Qdt -Qm -Ss -Si -Sg -F -T -D --query
pacman yay paru xbps-install emerge eopkg slackpkg | network | *
pacman yay paru xbps-install xbps-remove emerge eopkg slackpkg add-apt-repository snapper pacman-key wg-quick
  apt-add-repository | privilege | *
apt-key | privilege | add del adv update net-update
systemctl | privilege | start stop restart reload enable disable mask unmask reboot poweroff halt suspend hibernate
  daemon-reload set-default isolate edit kill reset-failed reenable try-restart reload-or-restart rescue emergency
loginctl hostnamectl timedatectl localectl | privilege | terminate-session kill-session terminate-user enable-linger
  set-hostname hostname set-time set-timezone set-ntp set-local-rtc set-locale set-keymap set-x11-keymap
nmcli rfkill route arp | privilege | connection con c device dev d radio networking block unblock toggle add del delete
  flush change -d -s
mount mkinitcpio tcpdump | privilege | *
mount mkinitcpio tcpdump | - | -none -l -h -H --hookhelp -L --listhooks -M --automods -D --list-interfaces
ip | privilege | *:set *:add *:del *:delete *:flush *:replace *:change *:append *:exec *:up *:down
date journalctl | privilege | -s --set --vacuum-time --vacuum-size --vacuum-files --rotate
openssl getent vegeta | network | s_client ocsp s_server hosts ahosts ahostsv4 ahostsv6 attack
gpg | network | --recv-keys --send-keys --search-keys --refresh-keys --receive-keys --locate-keys
gpg gh getent | credentials | --export-secret-keys --export-secret-subkeys auth:token shadow gshadow
gsettings dconf defaults xdg-mime xdg-settings history | write-outside | set reset reset-recursively write load update
  delete import rename default install uninstall -c -w -d
java run-parts daemonize swift wine wine64 gdb | unknown-command | *
go bun deno dotnet cmake uv poetry pdm pipenv | unknown-command | run -P
run-parts | - | --test --list --report
anacron at batch crontab trash-empty | write-outside | *
"""
"""Commands, a rule, and the subcommands or options that meet it: `*` is every one, `a:b` a subcommand of two words,
`*:b` one of two words that ends so, `-none` none at all. The rule `-` lists those that need nothing."""

ALIASES: Final = dict(
    pair.split("=")
    for pair in named("""
pip3=pip apt-get=apt aptitude=apt yum=dnf dnf5=dnf microdnf=dnf micromamba=mamba gpg2=gpg gradlew=gradle
podman-compose=podman
""")
)
_OWN_OPTIONS: Final = r"(?: (?:-[CcHwpt]|--(?:git-dir|work-tree|host|context|config|prefix|workspace)) \S+| -\S+)*+"
_ASKS: Final = r" (?:help|version|--help|--version)\b|.* (?:--help|--version)$|(?: \S+)? (?:-h|-V|-help|-version|help|version)$"
"""Asking for help or a version needs nothing."""
_PLACEHOLDERS: Final = {
    "<VITAL>": r"""
        (?:/(?:(?:bin|boot|dev|etc|home|lib\d*|media|mnt|opt|proc|root|run|sbin|srv|sys|usr|var|private|tmp|Users|System
        |Library|Applications|Volumes|cygdrive|(?:home|Users)/[^/ ]+|var/(?:lib|spool|log|mail|www|cache|db|tmp)
        |usr/(?:s?bin|lib\d*|libexec|local|share|include)|[^/ ]*[*?\[][^/ ]*)(?:/\.?(?:[*?]+|\[!?\.\]\*))*)?
        |(?:\.\./){2,}\.\.(?:/\*)?)(?=[ ]|$)
    """,
    "<OUT>": r"(?!/(?:var/)?tmp/.|/dev/(?:null|zero|full|u?random|std\w+|tty|fd/|ptmx|shm/.|tcp/|udp/))(?:/|\.\.(?=[/ ]|$))\S*",
    "<DISK>": r"""
        …?(?:/dev/(?:[shv]d[a-zX*?\[]|xvd|nvme|mmcblk|r?disk\d|disk/|mapper/|md\d|dm-|vg|loop\d|sr\d|mtd|k?mem\b|port\b
        |core\b)|/proc/(?:kcore|sysrq-trigger|kmem))\S*
    """,
    "<SECRET>": r"""
        (?!\S*\.(?:pub|example)(?=[ ]|$))\S*(?:/(?:root|home/[^/ ]+|Users/[^/ ]+)/\.(?:ssh|aws|gnupg|kube|azure|docker
        |mozilla|thunderbird|password-store|electrum|bitcoin|ethereum|vault-token|pgpass|my\.cnf|npmrc|pypirc
        |gem/credentials|\w*_history|cargo/credentials|local/share/(?:keyrings|kwalletd)|config/(?:gcloud|gh|hub|op|rclone
        |google-chrome|chromium|BraveSoftware|microsoft-edge|vivaldi|opera))|Library/Keychains|/etc/(?:g?shadow|sudoers
        |ssh/ssh_host|krb5\.keytab|master\.passwd|security/opasswd|ssl/private)|/proc/[^/ ]+/(?:environ|mem)\b|/run/secrets
        |/dev/(?:input|video|snd|hidraw|kmsg)|(?<![^/ ])(?:id_(?:rsa|dsa|ecdsa|ed25519|\*)|\.env|\.env\.(?:local|prod\w*
        |staging)|\.netrc|_netrc|wallet\.dat|logins\.json|key[34]\.db|cookies\.sqlite|Cookies|\.git-credentials|\.htpasswd
        |shadow|\*?\.kdbx|\.aws/credentials|\.ssh(?:/(?!known_hosts)\S*)?)(?=[ ]|$))
    """,
    "<NARROWS>": r"[ ]-(?:i?name|i?path|i?regex|size|[acm]time|[acm]min|newer\w*|user|empty|perm)[ ]",
    "<DELETES>": r"(?:s?rm|rmdir|shred|rimraf|trash(?:-put)?)",
    "<SHALLOW>": r"s?rm(?!.*(?:[ ]-\w*[rR]|[ ]--rec|\*|[ ]…\S*[ ]\S))",
    "<ENDLESS>": r"""
        (?:while|until)\s+(?:true|:|(?:test|\[\[?)\s+1(?:\s+(?:-eq|==?)\s+1)?(?:\s+\]\]?)?|\(\(\s*1\s*\)\)|!\s*false
        |false)\s*[;\n]
    """,
    "<SHELL>": f"(?:{'|'.join(SHELLS)})",
    "<LANGUAGE>": r"(?:i?python|perl|ruby|php|node|lua(?:jit)?|tclsh)[\d.]*(?=[ ]|$)",
    "<PRINTS>": f"(?:{'|'.join(map(re.escape, PRINTS_WORDS))})[ ]",
    "<HARMLESS>": f"(?:{'|'.join(map(re.escape, HARMLESS))})[ ]",
    "…": f"[{UNKNOWN}{MADE}]",
    "·": BREAK,
}
_ROWS: Final = r"""
words pipe-to-shell (?:nc|ncat|netcat|socat|telnet) .*(?:-\w*[ec] |--(?:sh-)?exec |(?i:exec|system):)
words pipe-to-shell <LANGUAGE> .*(?:[sS]ocket|sockopen|TCP|/inet/).*\b(?:ba|da|z)?sh\b
words pipe-to-shell <LANGUAGE> .*(?:exec|eval|system)\W.*(?:b64|base64|decode|unpack|fromhex|urlopen|get\()
words fork-bomb <LANGUAGE> .*(?:fork\W{0,4}\b(?:while|until)\b|\b(?:while|until|loop)\b.{0,40}\bfork\b)
words delete-root-or-home <LANGUAGE> .*(?:rmtree|rm_rf?|rimraf|rm\w*Sync|remove_tree)\W{1,4}(?:/|~|/(?:home|usr|etc|var)/?)['"]
words delete-root-or-home <LANGUAGE> .*['"]rm['"],\s*['"]-\w*[rR]\w*['"],\s*['"](?:/|~)
words unknown-command (?:su|sg|script|runuser|flock|nix-shell) .*(?:-\w?c|--command|--run) …
words device-write <LANGUAGE> .*(?:open|write\w*)\W{1,4}/dev/(?:[shv]d[a-z]|nvme|mmcblk|disk|k?mem\b)
words kill-all killall5|pkill .*(?<= )(?:\.|\.\*|\^)$|kill (?:-\w+ )?(?:-- )?(?:.* )?-?1$
words format (?:mkfs(?:\.\w+)?|mke2fs|mkswap|wipefs|newfs|mkdosfs|mkntfs|blkdiscard|badblocks|pvcreate) .*/dev/\w
words format (?:sgdisk|sfdisk|parted|fdisk|gdisk) (?!.*(?:-[lpin]|--list|--print|--no-act|print)(?: |$)).*/dev/\w
words format cryptsetup (?!.*(?:status|isLuks|\w*(?:[oO]pen|[cC]lose|Dump|Key|UUID)) ).*/dev/\w
words network (?!git |npm |<PRINTS>)\S+ (?:.* )?(?:--?[\w-]+=)?(?:(?!file:|data:)[a-z][a-z0-9+.-]*://|git@[\w.-]+:|\S*/dev/(?:tcp|udp)/)
words network <LANGUAGE> .*(?i:socket|urllib|urlopen|requests|https?[:.]|net::|lwp|fetch\(|/inet/|smtplib|ftplib)
words network [<>] /dev/(?:tcp|udp)/|ssh |autossh |python\S* (?:\S+ )*-m (?:http\.server|pip|ensurepip|smtpd)\b
words kill-other (?:pkill|killall|skill) |fuser .*-\w*k|kill .*…
words privilege chmod (?:\S+ )*(?:[ugoa,]*[ug][ugoa,]*\+[rwx]*s|\+s|0?[2467]\d{3} )|install .*-?m ?0?[2467]\d{3}\s
words privilege (?:mkfs|mke2fs|mkswap|wipefs)\S* .*…|ifconfig \S+ \S
words write-outside git .*config .*--(?:global|system) \S+ \S|dd .*(?:of=| )…|mv .* /dev/null$
words write-outside (?:docker|podman) .*(?:--volume[= ]|-v ?)/[^:]*:
words delete-unknown git .*(?:-C|--work-tree).* clean
words unknown-command python\S* (?:\S+ )*-m (?:timeit|code|codeop|pdb|runpy|c?[pP]rofile|trace|doctest|idlelib|asyncio|.*…)
words unknown-command <LANGUAGE>(?! (?:-m|--version|-V|-v|--help|-h)\b)(?= |$)|[gmn]?awk (?:(?:-[vF] ?\S+ )*…|.*(?: -f|system|getline|@load|(?<!\|)\|&?\s*["\w]))
words unknown-command (?:pypy|irb|scala|Rscript|R|osascript|pwsh|expect|guile|elixir|erl|julia|tsx|ts-node|groovy|raku|gnuplot)(?= |$)
words unknown-command sed .*(?:-\w*f |--file|(?:^|[;{}\n\d$/! ])e(?: |$)|s(\W)(?:(?!\1).)*\1(?:(?!\1).)*\1[gpIim\d]*e)
words unknown-command .* --?[\w-]*(?:exec|command|program|shell|rsh|pager|editor|hook|action|filter)[\w-]*=
words unknown-command .*\b(?:Proxy|Local)Command[= ]|.* --[\w-]*(?:program|exec|to-command|c-path|t-action)\b
words unknown-command git .*(?:-c|config) (?:\S+ )*(?!user|color|init|pu|advice|core\.(?:[qali]|file))[a-z]+\.\S+[= ]\S
words unknown-command git .*(?:bisect run|foreach|filter-b|for-each-repo|-pack=|(?:rebase|difft\w+) .*-\w*x)
words unknown-command (?:hash|bind) .*-\w*[px]|enable .*-\w*f|zip .*-TT|coproc\s|complete .*-C|(?:mapfile|readarray) .*-C
words unknown-command (?:make|just|rake|ninja) .*(?:SHELL|--eval|-\w?[fCd] ?(?:-|/|~|\.\.)|=\S*…)
words unknown-command (?:tar|rsync|fd|n?vim?|emacs|x?term\w*) .*(?:-\w*[Iexc]|--(?:eval|exec|use-compress)\S*)[ =]\S*…
words unknown-command git .*(?:--config-env|--ext-|grep .*-O)|rg .*--pre|man .*-P|env .*(?:-\w*S|--split)
words unknown-command (?:n?vim?|view|ex|ed|emacs|less|gdb|lldb|sqlite3|l?ftp|mail|nmap) .*[ :.\\+]!\s*\w
words unknown-command (?:n?vim?|ex|emacs|gdb|lldb|sqlite3) .*(?:\b(?:system|shell|call|exec|py|lua)|-[Sxl] |-script)
words unknown-command (?!<PRINTS>|<SHELL>).*…(?=.*<<<)$
input unknown-command (?:ed|ex|sqlite3|dc|gdb|m4|make) .*(?:…|(?m:^\s*[.!])|syscmd|shell|system|[;:]\s)
input holds (?:wget2?|aria2c|unzip|scp|git clone|7z [xe]|unrar [xe])\b|curl .*-\w*[oO]|cpio .*-\w*i|tar (?:-?\w*x|.* -\w*x|.*--(?:ex|get))
input made base(?:64|32|58|85|nc) .*-{1,2}[dD]|xxd .*-r|(?:gzip|bzip2|pigz|lzma|lzip|brotli|xz|zstd|lz4) .*-\w*d
input made (?:bunzip2|7z|openssl|gpg2?|age|uudecode|rev|tr|g?un(?:zip|xz|lz\w+|compress)|[bx]?z(?:cat|dec)|zst\w*)[ ]
input made (?:lz4\w*|iconv|dc|bc|hex2bin|funzip|c?crypt|ccat)[ ]
paths delete-root-or-home (?!<SHALLOW>)<DELETES> (?:.* )?<VITAL>|find (?:\S+ )*?<VITAL>(?!.*<NARROWS>).* -(?:delete|exec\w* rm)\b
paths change-root mv (?:.* )?<VITAL>[ ]\S|(?:chmod|chown|chgrp) (?=.*(?:-\w*R|--rec))(?:.* )?<VITAL>
paths device-write (?:>|tee|shred|truncate|wipe) (?:.* )?<DISK>|(?:cp|mv|ln|install|rsync) .* <DISK>$|dd .*of= <DISK>
paths disk-copy (?:<|cat|head|tail|strings|cp|gzip|tar|xxd|od|hexdump|less|more|grep|scp|rsync|base64) (?:.* )?<DISK>|.*if= <DISK>
paths privilege (?!(?:<|>|cat|head|tail|strings|df|lsblk|blkid|ls|stat|file|findmnt|udevadm|test|\[|cp|tee|dd) |<PRINTS>)\S+ (?:.* )?<DISK>
paths credentials \S+ (?:.* )?<SECRET>|(?:tar|zip|7z|cp|rsync|rclone|scp|grep|rg|ag) (?:.* )?(?<!-C )<VITAL>
paths delete-unknown (?!<SHALLOW>)<DELETES> (?:.* )?…|find (?:[^- ]\S* )*?…\S* .*-delete
paths write-outside (?:<DELETES>|>|touch|mkdir|unlink|tee|truncate|chmod|chown|chgrp|mkfifo|mknod|setfacl|mv|sponge) (?:.* )?(?!<VITAL>)<OUT>
paths write-outside (?:cp|ln|install|rsync|split|convert|magick|ffmpeg|scp|ditto|rclone|pax|link) .* <OUT>$|find (?:\S+ )*?<OUT> .*-delete
paths write-outside (?:zip|ed|ex|patch|gpasswd|sqlite3) (?:-\S+ )*<OUT>|(?:sed|perl) .*(?:-\w*i|--in-place)\S* .*[ ]<OUT>$
paths write-outside (?:cp|mv|ln|install) .*-t <OUT>|(?:unzip|patch|aria2c) .*-d <OUT>|ssh-keygen .*-f <OUT>|tar .*-C <OUT>
paths write-outside (?:wget2? .*-[OP]|.* (?:-o|--?out\w*|--output-\w+|--(?:target-)?directory|--dest|--prefix|-keyout|of)=?) <OUT>
paths write-outside .* -\w*[oOCtDf]<OUT>|[gmn]?awk .*>·*"<OUT>
paths unknown-command (?!<PRINTS>)\S+ (?:.* )?[!:]*(?:[^ ·]*/)?<SHELL>·
paths unknown-command (?!<HARMLESS>|<SHELL> )\S+ (?:.* )?(?:[^ ·]*/)?<SHELL>(?= |$)(?! -\w*c )
assign unknown-command (?:LD_(?:PRELOAD|LIBRARY_PATH|AUDIT)|DYLD_\w+|BASH_ENV|ENV|PROMPT_COMMAND|PS4|PERL5\w+|RUBYOPT)=
assign unknown-command (?:PYTHON(?:STARTUP|PATH|HOME)|NODE_OPTIONS|GIT_\w*(?:SSH|PAGER|EXEC)\w*|(?:MAN)?PAGER|\w*EDITOR)=
assign unknown-command (?:VISUAL|LESSOPEN|VIMINIT|JAVA_TOOL_OPTIONS)=|PATH=(?:.*:)?(?:$|:|\.|…|/tmp/|[^/:])
function_definition fork-bomb (?!.*(?:\b(?:if|case|while|for|return|exit)\b|\|\||&&|\[))(?:function\s+)?([^\s()]+)\W[^{]*\{.*(?<![^\s;|&({])\1\s*[|&]
function_definition fork-bomb (?!.*(?:\b(?:if|case|while|for|return|exit)\b|\|\||&&|\[))(?:function\s+)?([^\s()]+)\W[^{]*\{.*[|&(]\s*\1(?![\w.-])
while_statement fork-bomb (?!.*(?:[;\n{&|]|\b(?:do|then))\s{0,50}(?:wait|read|break|exit|return|sleep\b[^&;\n)]{0,200}[;\n]))<ENDLESS>.*[^&>]&(?![&>\d])
c_style_for_statement fork-bomb (?!.*(?:[;\n{&|]|\bdo)\s{0,50}(?:wait|break|exit|sleep\b))for\s*\(\(\s*;\s*;.*[^&>]&(?![&>\d])
pipeline pipe-to-shell .*\b\w*sh(?:\s+-\w+)*\s*(?:\d?>&\d\s*)?\|&?\s*(?:nc|ncat|netcat|telnet|socat|openssl\s+s_client)\b
"""
ROWS: Final[dict[str, Rows]] = defaultdict(list)
"""What a row judges → rules, and the texts that meet them: `words` is a command line as it is, `paths` one whose paths are
settled and whose words hold no spaces (`·` stands for them), `input` a command with what it reads, `assign` a variable
with its text; the others are the texts of syntax nodes. `…` is any text that is not known."""
for _row in _ROWS.strip().splitlines():
    _kind, _rule, _text = _row.split(maxsplit=2)
    for _name, _meaning in _PLACEHOLDERS.items():
        _text = _text.replace(_name, re.sub(r"\n\s*", "", _meaning))
    ROWS[_kind].append((_rule, re.compile(_text, re.DOTALL)))

NEEDS: Final[dict[str, Rows]] = defaultdict(list)
"""A command → rules, and the words behind its name that meet them."""
for _row in re.split(r"\n(?! )", _NEEDS.strip()):
    _names, _rule, _members = " ".join(_row.split()).split(" | ")
    _text = "|".join(map(re.escape, _members.split()))
    _text = _text.replace(":", " ").replace(r"\*", r"\S+")
    _text = rf"(?!{_ASKS})(?:{_OWN_OPTIONS}|.*(?= --)|) (?:{_text})(?= |=|$)"
    for _name in _names.split():
        NEEDS[_name].append((_rule, re.compile(_text, re.DOTALL)))
