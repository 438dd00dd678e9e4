"""What commands need beyond what a sandbox gives: the table. A name that is not in it needs nothing that is known.

A row of `NEEDS` is a rule and the commands that always need it. A row of `SUBCOMMANDS` is a command, and for each rule
the subcommands that need it; ``*`` stands for every subcommand, ``-`` for those
that need nothing; `a:b` for a subcommand of two words. Asking a command for its help or its version needs nothing.
"""

from __future__ import annotations

from typing import Final

NEEDS: Final[dict[str, str]] = {
    "network": """
        curl wget aria2c axel lftp ftp sftp scp ssh ssh-copy-id sshfs mosh telnet nc ncat netcat socat rclone
        s3cmd s4cmd ping ping6 fping hping3 traceroute tracepath mtr dig nslookup host drill whois nmap masscan zmap
        rustscan arp-scan gsutil bq doctl heroku linode-cli hcloud flyctl fly vercel netlify wrangler eksctl ibmcloud
        oci k9s stern oc argocd flux istioctl velero consul vault nomad
        hub tea youtube-dl yt-dlp you-get gallery-dl streamlink http https xh curlie hey wrk ab siege
        speedtest speedtest-cli mail mailx mutt sendmail msmtp swaks rsh rlogin rcp tftp
        smbclient nmblookup rpcclient snmpwalk snmpget ldapsearch showmount
        nikto gobuster ffuf wfuzz hydra sqlmap amass subfinder theHarvester waymore dnsrecon wpscan
        iperf iperf3 ntpdate sntp chronyc tor transmission-cli transmission-remote rtorrent
        weechat irssi lynx w3m links elinks w3mimgdisplay newsboat syncthing croc magic-wormhole wormhole transfer
        ngrok cloudflared tailscale zerotier-cli mosquitto_pub mosquitto_sub websocat grpcurl evans
        ansible-playbook ansible-pull ansible-galaxy pssh clusterssh fab cap xfreerdp rdesktop vncviewer remmina
        simplehttpserver http-server ntpd pacman-mirrors shiny-mirrors netselect-apt reflector
        mysqladmin twine dput rsh autossh sshuttle openvpn lighthouse autocannon pixie nuclei
        ssh-keyscan wget2 kdig arping sbatch qsub
    """,
    "privilege": """
        sudo doas su pkexec runuser gosu su-exec systemd-run chroot nsenter unshare
        umount losetup swapon swapoff modprobe insmod rmmod depmod sysctl dmesg
        useradd userdel usermod groupadd groupdel groupmod adduser deluser addgroup delgroup chpasswd newusers vipw
        chsh chage passwd gpasswd
        shutdown reboot poweroff halt init telinit
        iptables ip6tables nft ufw firewall-cmd ebtables arptables ipset
        update-rc.d chkconfig rc-service rc-update service sv update-grub grub-install grub-mkconfig update-initramfs
        dracut hwclock setcap setenforce semanage restorecon auditctl ausearch
        a2enmod a2dismod a2ensite a2dissite a2enconf a2disconf phpenmod phpdismod
        pvcreate vgcreate lvcreate lvremove vgremove pvremove lvextend lvresize vgextend mdadm cryptsetup
        zpool zfs btrfs resize2fs tune2fs e2fsck fsck fsck.ext4 xfs_repair xfs_growfs partprobe kpartx
        fdisk cfdisk sfdisk gdisk sgdisk cgdisk parted smartctl hdparm nvme
        tshark dumpcap iftop nethogs iotop ettercap airmon-ng airodump-ng aireplay-ng
        pct qm pvesm pveum ifup ifdown dhclient ethtool brctl wpa_supplicant hostapd
        dpkg-reconfigure update-alternatives visudo ldconfig setquota edquota quotaon insserv
        bpftrace perf-tools-unstable firejail-cfg docker-machine virt-install virsh xl turbostat powertop tlp
        sudoedit run0 systemd-nspawn kexec pivot_root efibootmgr grubby update-ca-certificates
        pam-auth-update vigr bootctl chattr capsh dmsetup kubeadm systemd-tmpfiles
    """,
    "write-outside": "crontab",
}

_IP_PARTS: Final = "link l addr address a route r ro rule ru neigh n netns tunnel tuntap maddress xfrm token"
_IP_CHANGES: Final = "set add del delete flush replace change append exec up down"
SUBCOMMANDS: Final[dict[str, dict[str, str]]] = {
    "git": {
        "network": "clone fetch pull push ls-remote send-email archive-remote p4 svn lfs submodule:update "
        "submodule:add remote:update remote:show"
    },
    "kubectl": {"network": "*", "-": "config completion help kustomize options plugin"},
    "helm": {"network": "*", "-": "template lint create package completion env help show-completion"},
    "gcloud": {"network": "*", "-": "config completion help info topic"},
    "aws": {"network": "*", "-": "configure help"},
    "az": {"network": "*", "-": "config configure find-local version"},
    "gh": {"network": "*", "-": "completion help config alias"},
    "glab": {"network": "*", "-": "completion help config alias"},
    "httpie": {"network": "*", "-": "cli"},
    "ansible": {"network": "*", "-": "--list-hosts"},
    "vegeta": {"network": "attack"},
    "hg": {"network": "clone pull push incoming outgoing"},
    "svn": {"network": "checkout co update up commit ci switch export import log list ls"},
    "docker": {
        "network": "pull push run build login search create plugin buildx:build compose:up compose:pull compose:build "
        "compose:run compose:push compose:create image:pull image:push image:build container:run",
        "privilege": "*",
    },
    "docker-compose": {"network": "pull push up build run create", "privilege": "*"},
    "podman": {"network": "pull push run build login search create"},
    "nerdctl": {"network": "pull push run build login compose", "privilege": "*"},
    "skopeo": {"network": "*"},
    "pip": {"network": "install download search wheel index", "write-outside": "config:set config:unset config:edit"},
    "pipx": {"network": "install run upgrade upgrade-all inject reinstall"},
    "uv": {
        "network": "add sync lock run pip:install pip:sync pip:compile tool:install tool:run tool:upgrade "
        "python:install"
    },
    "poetry": {"network": "add install update lock publish search self"},
    "pdm": {"network": "add install update lock publish sync"},
    "pipenv": {"network": "install update sync lock"},
    "conda": {"network": "install create update search upgrade"},
    "mamba": {"network": "install create update search upgrade"},
    "npm": {
        "network": "install i ci update publish view info search audit outdated add exec init login unpublish ping",
        "write-outside": "config:set config:delete config:edit c:set set",
    },
    "pnpm": {"network": "install i add update publish audit dlx outdated up"},
    "yarn": {"network": "install add upgrade publish audit dlx create global -none", "write-outside": "config:set"},
    "bun": {"network": "install add update create x i"},
    "npx": {"network": "*"},
    "bunx": {"network": "*"},
    "deno": {"network": "install add upgrade cache"},
    "nvm": {"network": "install ls-remote"},
    "cargo": {
        "network": "install fetch publish search update add login owner yank binstall build b run r test t "
        "check c bench doc",
        "-": "--offline --frozen",
    },
    "gradle": {"network": "*", "-": "--offline tasks help projects properties --stop --status"},
    "getent": {"network": "hosts ahosts ahostsv4 ahostsv6"},
    "gsettings": {"write-outside": "set reset reset-recursively"},
    "dconf": {"write-outside": "write reset load update"},
    "defaults": {"write-outside": "write delete import rename"},
    "xdg-mime": {"write-outside": "default install uninstall"},
    "xdg-settings": {"write-outside": "set"},
    "add-apt-repository": {"network": "*", "privilege": "*"},
    "apt-key": {"privilege": "add del adv update net-update", "network": "adv net-update"},
    "rustup": {"network": "update install self default toolchain target component", "-": "show doc which run override"},
    "go": {"network": "get install mod"},
    "gem": {"network": "install update search push fetch outdated"},
    "bundle": {"network": "install update outdated add"},
    "composer": {"network": "install update require create-project search outdated global self-update"},
    "cpan": {"network": "*"},
    "cpanm": {"network": "*"},
    "luarocks": {"network": "install search download upload"},
    "opam": {"network": "install update upgrade init"},
    "stack": {"network": "install setup update upgrade new"},
    "cabal": {"network": "install update get fetch"},
    "mix": {"network": "deps.get hex.publish local.hex archive.install"},
    "dotnet": {"network": "restore add:package tool:install tool:update tool:search tool:restore"},
    "nuget": {"network": "install restore push search"},
    "mvn": {"network": "* "},
    "terraform": {"network": "init apply plan destroy import refresh login get"},
    "tofu": {"network": "init apply plan destroy import refresh login get"},
    "pulumi": {"network": "up preview destroy refresh login"},
    "vagrant": {"network": "up init box plugin share login"},
    "packer": {"network": "build init"},
    "minikube": {"network": "start"},
    "lxc": {"network": "launch image remote copy", "privilege": "*"},
    "apt": {
        "network": "install update upgrade full-upgrade dist-upgrade source download build-dep",
        "privilege": "install update upgrade full-upgrade dist-upgrade remove purge autoremove autopurge edit-sources "
        "clean autoclean build-dep satisfy",
    },
    "dpkg": {"privilege": "-i --install -r --remove -P --purge --configure --add-architecture"},
    "rpm": {"privilege": "-i -U -e -F --install --upgrade --erase --import -Uvh -ivh -iv -ev"},
    "dnf": {
        "network": "install update upgrade download search makecache check-update group module system-upgrade",
        "privilege": "install update upgrade remove erase autoremove group module clean reinstall downgrade swap",
    },
    "zypper": {
        "network": "install in update up refresh ref search se dist-upgrade dup patch addrepo ar",
        "privilege": "install in update up refresh ref remove rm dist-upgrade dup patch addrepo ar removerepo rr",
    },
    "apk": {"network": "add update upgrade fetch search", "privilege": "add update upgrade del fix cache"},
    "brew": {"network": "install update upgrade tap search fetch bundle reinstall outdated info"},
    "snap": {
        "network": "install refresh find download login",
        "privilege": "install refresh remove enable disable revert",
    },
    "flatpak": {"network": "install update search remote-add remote-ls run-remote"},
    "nix": {"network": "build run shell develop flake profile search"},
    "nix-env": {"network": "-i -iA --install -u --upgrade"},
    "nix-shell": {"network": "* "},
    "nix-channel": {"network": "--update --add"},
    "guix": {"network": "install pull package upgrade"},
    "pkg": {
        "network": "install update upgrade search fetch",
        "privilege": "install update upgrade delete remove autoremove",
    },
    "port": {"network": "install selfupdate sync upgrade", "privilege": "install selfupdate sync upgrade uninstall"},
    "choco": {"network": "install upgrade search"},
    "scoop": {"network": "install update search"},
    "winget": {"network": "install upgrade search"},
    "systemctl": {
        "privilege": "start stop restart reload enable disable mask unmask reboot poweroff halt suspend hibernate "
        "daemon-reload set-default isolate edit kill reset-failed reenable try-restart reload-or-restart "
        "rescue emergency",
    },
    "loginctl": {"privilege": "terminate-session kill-session terminate-user enable-linger disable-linger"},
    "hostnamectl": {"privilege": "set-hostname hostname set-icon-name set-chassis set-location set-deployment"},
    "timedatectl": {"privilege": "set-time set-timezone set-ntp set-local-rtc"},
    "localectl": {"privilege": "set-locale set-keymap set-x11-keymap"},
    "nmcli": {"privilege": "connection con c device dev d radio networking"},
    "ip": {"privilege": " ".join(f"{p}:{c}" for p in _IP_PARTS.split() for c in _IP_CHANGES.split())},
    "wg-quick": {"privilege": "*", "network": "*"},
    "openssl": {"network": "s_client ocsp s_server"},
    "firebase": {"network": "*", "-": "init"},
    "sqlx": {"network": "database migrate"},
    "ollama": {"network": "pull push run"},
    "gpg": {"network": "--recv-keys --send-keys --search-keys --refresh-keys --receive-keys --locate-keys"},
    "route": {"privilege": "add del delete flush change"},
    "arp": {"privilege": "-d -s --delete --set"},
    "rfkill": {"privilege": "block unblock toggle"},
    "mount": {"privilege": "*", "-": "-l -h"},
    "mkinitcpio": {"privilege": "*", "-": "-H --hookhelp -L --listhooks -M --automods"},
    "tcpdump": {"privilege": "*", "-": "-D --list-interfaces"},
    "pamac": {
        "network": "install update upgrade checkupdates search",
        "privilege": "install remove update upgrade build clean",
    },
    "snapper": {"privilege": "*"},
    "pacman-key": {"privilege": "*"},
}

ALIASES: Final[dict[str, str]] = {
    "pip3": "pip",
    "apt-get": "apt",
    "aptitude": "apt",
    "yum": "dnf",
    "dnf5": "dnf",
    "tdnf": "dnf",
    "microdnf": "dnf",
    "micromamba": "mamba",
    "gpg2": "gpg",
    "podman-compose": "podman",
    "apt-add-repository": "add-apt-repository",
    "gradlew": "gradle",
}
"""Commands that are called like another one."""

VALUE_OPTIONS: Final[dict[str, frozenset[str]]] = {
    "git": frozenset({"-C", "-c", "--git-dir", "--work-tree", "--namespace"}),
    "docker": frozenset({"-H", "--host", "-c", "--context", "--config", "-l", "--log-level"}),
    "npm": frozenset({"--prefix", "-w", "--workspace"}),
    "cargo": frozenset({"--color", "--config", "-Z"}),
    "systemctl": frozenset({"-H", "--host", "-M", "--machine", "-t", "--type", "-p", "--property"}),
    "go": frozenset({"-C"}),
}
"""Options before a subcommand that take the next word."""

_ALWAYS: Final = {name: rule for rule, names in NEEDS.items() for name in names.split()}
_PARTS: Final = {
    name: {rule: frozenset(parts.split()) for rule, parts in rows.items()} for name, rows in SUBCOMMANDS.items()
}
_ASKS: Final = frozenset({"--help", "--version", "-help", "-version", "-V", "-h", "help", "version"})
_PACMAN: Final = frozenset({"pacman", "yay", "paru", "xbps-install", "xbps-remove", "emerge", "eopkg", "slackpkg"})
NEEDED: Final = frozenset({*_ALWAYS, *_PARTS, *ALIASES, *_PACMAN})
"""Every command of the table."""


def needs(name: str, arguments: list[str]) -> tuple[str, ...]:
    """The rules that a command with these words meets."""
    name = ALIASES.get(name, name)
    always, parts = _ALWAYS.get(name), _PARTS.get(name)
    if always is None and parts is None and name not in _PACMAN:
        return ()
    if _only_asks(name, arguments):
        return ()
    if always is not None:
        return (always,)
    return _by_part(parts, _subcommand(name, arguments), arguments) if parts is not None else _pacman(name, arguments)


def _only_asks(name: str, arguments: list[str]) -> bool:
    """A command that is asked for help, or, by a subcommand's name alone, for its version."""
    if not arguments:
        return False
    asked = _ASKS if len(arguments) <= 2 else _ASKS - {"-h", "-V", "help", "version"}
    last = arguments[-1] in asked - ({"-h"} if name in {"du", "df", "mysql", "psql"} else set())
    return last or (arguments[0] in {"help", "version", "--help", "--version"})


def _subcommand(name: str, arguments: list[str]) -> tuple[str, str]:
    """The first word that is no option, and that one with the next; the first option where there is none."""
    values = VALUE_OPTIONS.get(name, frozenset())
    skip = False
    first = ""
    words: list[str] = []
    for argument in arguments:
        if skip:
            skip = False
        elif argument.startswith("-"):
            first = first or argument
            skip = argument in values
        else:
            words.append(argument)
    if not words:
        return first, ""
    return words[0], ":".join(words[:2])


def _by_part(parts: dict[str, frozenset[str]], told: tuple[str, str], arguments: list[str]) -> tuple[str, ...]:
    part, longer = told
    spared = parts.get("-", frozenset())
    if part in spared or not spared.isdisjoint(arguments):
        return ()
    if not part and "*" in parts.get("privilege", ()) and "-" in parts:
        return ()  # `mount` alone shows what is mounted
    return tuple(
        rule
        for rule, members in parts.items()
        if rule != "-"
        and ("*" in members or (part or "-none") in members or longer in members or _has(members, arguments))
    )


def _has(members: frozenset[str], arguments: list[str]) -> bool:
    """Whether a long option of the table stands anywhere among the words."""
    return any(argument[:2] == "--" and argument in members for argument in arguments)


def _pacman(name: str, arguments: list[str]) -> tuple[str, ...]:
    """Package managers whose first option says what they do."""
    first = arguments[0] if arguments else ""
    if name != "pacman":
        return ("network", "privilege") if name in {"xbps-install", "emerge", "slackpkg", "eopkg"} else ("privilege",)
    asks = first.startswith(("-Q", "-T", "-D", "--query", "-F", "-Ss", "-Si", "-Sg"))
    if asks or (first[:1] == "-" and first[1:2] != "-" and "p" in first):
        return ()
    return ("network", "privilege") if first[:2] == "-S" else ("privilege",)
