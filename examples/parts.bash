# What the scripts of this folder have in common. They source this file: it defines functions and runs nothing.
#
# After make_work:
#     $root   the folder of the source
#     $work   a temporary folder, which stop removes
#     $group  the group in which nginx's workers run
# After build_programs:
#     $retentiond, $retentionctl   the programs

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
pids=()

# Installs the packages that are needed and builds the programs. The variables RETENTIOND and RETENTIONCTL name programs
# that are built already; then nothing is installed and nothing is built.
build_programs() {
    if [ -n "${RETENTIOND:-}" ] && [ -n "${RETENTIONCTL:-}" ]; then
        retentiond=$RETENTIOND
        retentionctl=$RETENTIONCTL
        return
    fi
    local bin
    "$root/Tests/install" run
    (cd "$root" && swift build -c release --static-swift-stdlib --product retentiond)
    (cd "$root" && swift build -c release --static-swift-stdlib --product retentionctl)
    bin=$(cd "$root" && swift build -c release --static-swift-stdlib --show-bin-path)
    retentiond=$bin/retentiond
    retentionctl=$bin/retentionctl
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

# Writes the pool's configuration: one app, which trusts the test root in $work/appstore.
# Usage: configure_pool ENVIRONMENTS, as JSON
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
      "anchors": ["$work/appstore/root.pem"]
    }
  ]
}
CONFIGURATION
}

# Checks and starts the pool, and waits until it serves.
start_pool() {
    # Root must allow a pool that runs as root (--allow-root). On a server the pool has a user of its own.
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
