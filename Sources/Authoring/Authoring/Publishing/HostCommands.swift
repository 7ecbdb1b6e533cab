/// The command lines that publishing runs on this machine, as lists of arguments: no shell here ever reads them.
package struct HostCommands: Sendable, Hashable {
    /// The program that runs a command on another machine: `ssh`.
    package var remoteShell: CommandWords
    /// The program that copies: `rsync`.
    package var rsync: String
    /// The command that runs retentiond on a host, with the options that it needs there.
    package var retentiond: CommandWords
    /// The command that has a host's pool load its files, and ends with 0 when the pool has loaded them.
    package var reload: CommandWords

    /// What the kept files of this run have in their names. Another push at the same time keeps others.
    package var tag = String(UInt32.random(in: .min ... .max))

    /// The usual ways on a host that is installed as the README says.
    package static let usualRemoteShell = "ssh"
    package static let usualRsync = "rsync"
    /// retentiond as the pool's user, who alone can read what the pool serves.
    package static let usualRetentiond = "sudo -n -u retentiond retentiond"
    package static let usualReload = "sudo -n systemctl reload retentiond"

    /// The flags of rsync. It writes a hidden file in the same directory and renames it, which is safe while a process
    /// reads the old file. `--checksum` compares the contents, since different files can have the same size and time. The
    /// file gets the group of the directory, the pool's, and no other user needs to read it. `--protect-args` keeps the
    /// shell of the host from reading the path.
    private static let flags = [
        "--copy-links", "--times", "--checksum", "--fsync", "--perms", "--chmod=F640", "--protect-args",
    ]

    /// The oldest rsync that has all flags; `--fsync` came last.
    private static let rsyncVersion = (3, 2, 4)
    /// What both machines need.
    static let neededRsync = "publishing needs rsync 3.2.4 or newer, on this machine and on every host"

    /// Keeps, restores or drops the files that are replaced, as examples/push does. Where a hard link is not allowed, as
    /// for the file of another user, a copy does.
    private static let formerFiles = """
        set -e
        step=$1 push=$3
        cd "$2"
        shift 3
        for name; do
            old=./.former-$push-$name
            case $step in
                keep)
                    [ ! -e "./$name" ] || ln "./$name" "$old" 2>/dev/null || cp -p "./$name" "$old"
                    ;;
                restore)
                    # rsync leaves a file as it is that is the same already.
                    if [ "$old" -ef "./$name" ]; then rm -f "$old"
                    elif [ -e "$old" ]; then mv -f "$old" "./$name"
                    else rm -f "./$name"
                    fi
                    ;;
                drop) rm -f "$old" ;;
            esac
        done
        """

    package init(remoteShell: CommandWords, rsync: String, retentiond: CommandWords, reload: CommandWords) {
        self.remoteShell = remoteShell
        self.rsync = rsync
        self.retentiond = retentiond
        self.reload = reload
    }

    /// The command line that asks a host what it serves, with the bytes of the rules files or without.
    package func served(_ host: PublishHost, withRules: Bool) -> [String] {
        let words = retentiond.words + [withRules ? "--served-rules" : "--served"]
        return on(host, CommandWords(words: words))
    }

    package func reload(_ host: PublishHost) -> [String] { on(host, reload) }

    /// The command line for the files of a host that are replaced.
    package func former(_ step: FormerFiles, _ names: [String], in directory: String, on host: PublishHost)
        -> [String]
    {
        let script = ["sh", "-c", Self.formerFiles, "sh"]
        return on(host, CommandWords(words: script + [step.rawValue, directory, tag] + names))
    }

    /// Returns why an rsync of this machine cannot copy, by what it prints for `--version`; nil when it can.
    package static func unfitRsync(_ output: String) -> String? {
        let line = output.split(separator: "\n").first ?? ""
        // macOS has openrsync, which is not rsync, in its place.
        if let found = line.firstMatch(of: #/^rsync +version v?(\d+)\.(\d+)\.(\d+)/#),
            let major = Int(found.1), let minor = Int(found.2), let patch = Int(found.3),
            (major, minor, patch) >= rsyncVersion
        {
            return nil
        }
        return "\(neededRsync); this one says \"\(line)\""
    }

    /// The command line that copies a file to a path on a host.
    package func copy(_ file: String, to path: String, on host: PublishHost) -> [String] {
        // With a slash before any colon, rsync takes a name for a file on this machine, and never for an option.
        let source = file.hasPrefix("/") ? file : "./\(file)"
        let shell = host == .local ? [] : ["-e", remoteShell.textForRsync]
        return [rsync] + Self.flags + shell + ["--", source, host.destination(path)]
    }

    private func on(_ host: PublishHost, _ command: CommandWords) -> [String] {
        switch host {
        case .local: command.words
        case .remote: remoteShell.words + host.shellArguments + [command.textForShell]
        }
    }
}
