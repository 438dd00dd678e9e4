"""Which commands need what. A command that is in no table needs nothing that is known."""

from __future__ import annotations

import re
from typing import Final

from hexad.skills.shell.places import named

SHELLS: Final = named(
    "sh bash dash zsh ksh ksh93 mksh ash fish csh tcsh yash rbash posh osh oksh elvish nu xonsh"
)
_TABLE_TEXT: Final = """
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

_ALIASES: Final = "pip3=pip apt-get=apt aptitude=apt yum=dnf dnf5=dnf microdnf=dnf micromamba=mamba gpg2=gpg "
_ALIAS: Final = dict(
    pair.split("=")
    for pair in named(f"{_ALIASES} gradlew=gradle podman-compose=podman")
)
_VALUE_OPTIONS: Final = named(
    "-C -c -H -w -p -t --git-dir --work-tree --host --context --config --prefix --workspace"
)
"""Options before a subcommand that take the next word."""
_TABLE: Final[dict[str, dict[str, set[str]]]] = {}
for _row in re.split(r"\n(?! )", _TABLE_TEXT.strip()):
    _names, _rule, _members = " ".join(_row.split()).split(" | ")
    for _name in _names.split():
        _TABLE.setdefault(_name, {}).setdefault(_rule, set()).update(_members.split())
_ASKS: Final = frozenset(
    {"--help", "--version", "-help", "-version", "-V", "-h", "help", "version"}
)


def needs(name: str, arguments: list[str]) -> tuple[str, ...]:
    """The rules that a command with these words meets. Asking for help or a version
    meets none.
    """
    asked = _ASKS if len(arguments) <= 2 else {"--help", "--version"}
    if arguments and (
        arguments[-1] in asked
        or arguments[0] in {"help", "version", "--help", "--version"}
    ):
        return ()
    rows = _TABLE.get(_ALIAS.get(name, name), {})
    words = _subcommands(arguments) | {
        word.partition("=")[0] for word in arguments if word.startswith("--")
    }
    if not rows or rows.get("-", set()) & words:
        return ()
    return tuple(
        rule
        for rule, members in rows.items()
        if rule != "-" and members & {"*", *words}
    )


def _subcommands(arguments: list[str]) -> set[str]:
    """The first argument, and the first word that is no option, alone and with the
    next.
    """
    words = [
        word
        for before, word in zip(["", *arguments], arguments, strict=False)
        if not word.startswith("-") and before not in _VALUE_OPTIONS
    ]
    return (
        {*arguments[:1], *words[:1], ":".join(words[:2]), ":".join(["*", *words[1:2]])}
        if arguments
        else {"-none"}
    )
