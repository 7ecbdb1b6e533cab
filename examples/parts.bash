# What the scripts of this folder have in common. They source this file: it defines functions and runs nothing.
#
# After make_work:
#     $root   the folder of the source
#     $work   a temporary folder, which stop removes
#     $group  the group in which nginx's workers run
# After build_programs:
#     $retentiond, $simulator, $retentionctl, $recorder   the programs, as far as they were named

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
pids=()

# Shows the head of the script: what it does and which arguments it takes.
usage() { sed -n '2,/^[^#]/s/^# \{0,1\}//p' "$0"; }

# Ends the script unless it has no argument, or --once alone: with 0 after --help, and else with 64.
# Usage: check_arguments "$@"
check_arguments() {
    case $#:${1:-} in
        0:) return ;;
        1:--once) return ;;
        1:--help | 1:-h) usage; exit 0 ;;
        1:*) printf '%s: unknown argument: %s\n\n' "$(basename "$0")" "$1" >&2 ;;
        *) printf '%s: more than one argument\n\n' "$(basename "$0")" >&2 ;;
    esac
    usage >&2
    exit 64
}

# Installs the packages that are needed and builds programs. The variables RETENTIOND, APPSTORE_SIMULATOR, RETENTIONCTL and
# RETENTIOND_RECORDER name programs that are built already; when all are, nothing is installed and nothing is built.
# SWIFT_BUILD_OPTIONS has further options for the builds.
# Usage: build_programs retentiond appstore-simulator [retentionctl] [retentiond-recorder]
build_programs() {
    retentiond=${RETENTIOND:-} simulator=${APPSTORE_SIMULATOR:-} retentionctl=${RETENTIONCTL:-}
    recorder=${RETENTIOND_RECORDER:-}
    local bin product variable options missing=no
    for product; do
        variable=${product^^}
        variable=${variable//-/_}
        [ -n "${!variable:-}" ] || missing=yes
    done
    [ "$missing" = yes ] || return 0
    read -ra options <<<"${SWIFT_BUILD_OPTIONS:-}"
    "$root/Tests/install" run
    for product; do
        (cd "$root" && swift build -c release --static-swift-stdlib "${options[@]}" --product "$product")
    done
    bin=$(cd "$root" && swift build -c release --static-swift-stdlib --show-bin-path)
    retentiond=$bin/retentiond simulator=$bin/appstore-simulator retentionctl=$bin/retentionctl
    recorder=$bin/retentiond-recorder
}

# Makes the temporary folder. From here on, the end of the script stops every process that it started, and removes the
# folder. Usage: make_work NAME
make_work() {
    work=$(mktemp -d --suffix=".retention-$1")
    chmod 755 "$work"
    trap stop EXIT
    trap 'exit 0' INT TERM
    # If root starts nginx, its workers change to Debian's user and group for nginx. Only that group may enter the folder
    # of the sockets.
    if [ "$(id -u)" -eq 0 ]; then group=www-data; else group=$(id -gn); fi
    install -d -m 0750 -g "$group" "$work/run"
}

stop() {
    for pid in "${pids[@]}"; do kill -QUIT "$pid" 2>/dev/null || true; done
    for pid in "${pids[@]}"; do wait "$pid" 2>/dev/null || true; done
    rm -rf "$work"
}

# Waits until a file has a text. Fails when the process ends before that, and shows the file.
# Usage: wait_for TEXT FILE PID
wait_for() {
    local count
    for count in $(seq 600); do
        grep -q -e "$1" "$2" 2>/dev/null && return
        kill -0 "$3" 2>/dev/null || break
        sleep 0.1
    done
    grep -q -e "$1" "$2" 2>/dev/null && return
    cat "$2" >&2
    return 1
}

# Writes the pool's configuration: one app, which trusts the test root in $work/appstore. All arguments are JSON; further
# members begin with a comma. Usage: configure_pool ENVIRONMENTS [MEMBERS-OF-THE-APP [MEMBERS]]
configure_pool() {
    mkdir -p "$work/data" "$work/state"
    cat >"$work/retentiond.json" <<CONFIGURATION
{
  "listen": "unix:$work/run/retentiond.sock",
  "listenGroup": "$group",
  "dataDirectory": "$work/data",
  "stateDirectory": "$work/state",
  "pidFile": "$work/run/retentiond.pid",
  "apps": [
    {
      "appAppleId": 6745974591,
      "bundleId": "com.example.app",
      "environments": $1,
      "anchors": ["$work/appstore/root.pem"]${2:-}
    }
  ]${3:-}
}
CONFIGURATION
}

# Checks and starts the pool, and waits until it serves.
start_pool() {
    # The pool runs as whoever starts it, and root must allow that. On a server systemd gives it a user of its own.
    local pool=("$retentiond" --config "$work/retentiond.json")
    [ "$(id -u)" -ne 0 ] || pool+=(--allow-root)
    "${pool[@]}" -t
    "${pool[@]}" 2>"$work/retentiond.log" &
    pids+=($!)
    wait_for message=ready "$work/retentiond.log" $!
}

# Copies the shipped configuration of nginx, and changes only the socket of the pool and the port.
# Usage: configure_nginx PORT
configure_nginx() {
    rm -rf "$work/nginx"
    mkdir -p "$work"/nginx/{logs,tmp}
    cp "$root"/nginx/* "$work/nginx/"
    sed -i "s|/run/retentiond/retentiond.sock|$work/run/retentiond.sock|" "$work/nginx/retentiond-upstream.conf"
    sed -i "s|127.0.0.1:8443|127.0.0.1:$1|" "$work/nginx/nginx.conf"
    cp "$work/appstore/tls-server.pem" "$work/nginx/server.pem"
    cp "$work/appstore/tls-server.key" "$work/nginx/server.key"
}

# Starts nginx and waits until it has all its ports. Fails when it does not get them.
start_nginx() {
    local count pid
    "$(command -v nginx || echo /usr/sbin/nginx)" -p "$work/nginx" -c "$work/nginx/nginx.conf" 2>"$work/nginx.log" &
    pid=$!
    for count in $(seq 600); do
        # nginx writes this file after it has opened its ports.
        if [ -s "$work/nginx/nginx.pid" ]; then
            pids+=("$pid")
            return
        fi
        kill -0 "$pid" 2>/dev/null || break
        sleep 0.1
    done
    kill -QUIT "$pid" 2>/dev/null || true
    wait "$pid" || true
    return 1
}

# How a walk is shown ---------------------------------------------------------

number=0
# Begins a step. Usage: step TITLE EXPLANATION
step() {
    number=$((number + 1))
    printf '\n%d. %s\n\n' "$number" "$1"
    printf '%s\n' "$2" | fold -s -w 76 | sed 's/^/   /; s/ *$//'
}

# Prints a command as a user would type it. Usage: show COMMAND...
show() {
    local shown
    printf -v shown ' %q' "$@"
    shown=${shown//$retentionctl/retentionctl}
    shown=${shown//$simulator/appstore-simulator}
    shown=${shown//$work/\$work}
    printf '\n   $%s\n' "${shown//$root\//}"
}

# Runs a command, shows it with its output, and ends the walk when its exit status is not STATUS, or any status. The output
# stays in $output, the exit status in $status. A line is cut after 200 characters. With a variable excerpt, a script of sed,
# only a part of the output is shown. Usage: [excerpt=SCRIPT] run STATUS COMMAND...
run() {
    local expected=$1 part
    shift
    status=0
    show "$@"
    output=$("$@" 2>&1) || status=$?
    part=$output
    [ -z "${excerpt:-}" ] || part=$(sed -n "$excerpt" <<<"$output"; printf '...')
    printf '%s\n' "${part//$work/\$work}" | sed 's/^\(.\{200\}\).*/\1.../; s/^/     /'
    [ "$expected" = any ] || [ "$status" -eq "$expected" ] || fail "the command ended with $status, not with $expected"
}

# Ends the walk. Usage: fail WHY
fail() {
    local log
    printf '\nexamples/%s: step %d is wrong: %s\n' "${0##*/}" "$number" "$1" >&2
    printf 'The last lines of the logs:\n' >&2
    for log in "$work"/{retentiond,recorder,simulator,nginx}.log "$work"/nginx/logs/error.log; do
        [ ! -s "$log" ] || tail -v -n 5 "$log" >&2
    done
    exit 1
}

# Ends the walk when the output of the last command does not have a text. Usage: expect TEXT
expect() { [[ $output == *"$1"* ]] || fail "the output does not have: $1"; }

# Prints what a step has shown. Usage: so TEXT
so() { printf '\n   => %s\n' "$1"; }

# Apple's side, played on this machine ----------------------------------------

# Makes certificates and keys that stand for Apple's, and the key with which a team signs its calls to Apple and its offers.
make_keys() {
    "$simulator" init "$work/appstore" >"$work/init.log"
    cp -p "$work/appstore/api-key.p8" "$work/key.p8"
}

# nginx in front of the pool, and of the simulator in each of Apple's environments. The ports are free ones: when another
# program takes one of them in between, nginx does not start, and others are tried. A function change_nginx, if there is
# one, changes the configuration further.
start_servers() {
    local try
    for try in $(seq 20); do
        port=$((20000 + RANDOM % 4000)) production=$((24000 + RANDOM % 4000)) sandbox=$((28000 + RANDOM % 4000))
        configure_nginx "$port"
        sed -i 's|#include appstore-simulator.conf|include appstore-simulator.conf|' "$work/nginx/nginx.conf"
        sed -i "s|/run/appstore/simulator.sock|$work/run/simulator.sock|; s|127.0.0.1:8444|127.0.0.1:$production|
            s|127.0.0.1:8445|127.0.0.1:$sandbox|" "$work/nginx/appstore-simulator.conf"
        if declare -F change_nginx >/dev/null; then change_nginx; fi
        start_nginx && return
    done
    fail "nginx does not start"
}

# Starts the simulator, which knows one team, one key and one app. Usage: start_simulator OPTIONS...
start_simulator() {
    "$simulator" serve --listen "unix:$work/run/simulator.sock" --listen-group "$group" \
        --issuer-id 57246542-96fe-1a63-e053-0824d011072a --key "2X9R4HXF34=$work/key.p8" \
        --app com.example.app=6745974591 --authority "$work/appstore" "$@" \
        >"$work/simulator.log" 2>&1 &
    pids+=($!)
    wait_for '^ready' "$work/simulator.log" $!
}

# Says where Apple's API is, and who calls it: $in_sandbox and $in_production are options of a command, everything else is in
# a profile. $to_host has the options of `publish`: this machine is the only host. A real host is reached with ssh, and needs
# none of these options.
use_simulator() {
    cat >"$work/profile.json" <<PROFILE
{ "keyFile": "$work/key.p8", "keyId": "2X9R4HXF34", "issuerId": "57246542-96fe-1a63-e053-0824d011072a",
  "bundleId": "com.example.app", "cacert": "$work/appstore/tls-authority.pem" }
PROFILE
    chmod 600 "$work/profile.json"
    export RETENTIONCTL_PROFILE=$work/profile.json
    in_sandbox=(--environment Sandbox --base-url "https://localhost:$sandbox")
    in_production=(--environment Production --base-url "https://localhost:$production")
    to_host=(--host local --retentiond "$work/bin/pool" --reload "$work/bin/pool --reload")
}

# Makes a program $work/bin/pool: the pool with its configuration, so that the commands of a walk stay short.
make_pool_program() {
    mkdir "$work/bin"
    printf '#!/bin/sh\nexec %q --config %q "$@"\n' "$retentiond" "$work/retentiond.json" >"$work/bin/pool"
    chmod 755 "$work/bin/pool"
}
