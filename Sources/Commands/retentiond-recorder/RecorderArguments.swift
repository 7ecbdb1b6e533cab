struct RecorderArguments: Sendable, Hashable {
    enum Mode: Sendable, Hashable {
        case serve, test, printConfiguration, reload, version, versionAndBuild, help
    }

    struct Problem: Error, Sendable, Hashable {
        let message: String
    }

    static let defaultConfigurationPath = "/etc/retentiond/retentiond.json"

    var mode = Mode.serve
    var configurationPath = Self.defaultConfigurationPath
    /// True when this process may be root, although it parses bytes from outside.
    var allowsRoot = false

    init(_ words: [String]) throws(Problem) {
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--config", "-c":
                guard let value = rest.popFirst(), !value.isEmpty else {
                    throw Problem(message: "\(word) needs a value")
                }
                configurationPath = value
            case "-t": try choose(.test, word)
            case "-T": try choose(.printConfiguration, word)
            case "--reload": try choose(.reload, word)
            case "-v", "--version": try choose(.version, word)
            case "-V": try choose(.versionAndBuild, word)
            case "-h", "-?", "--help": try choose(.help, word)
            case "--allow-root": allowsRoot = true
            default: throw Problem(message: "unknown argument: \(word)")
            }
        }
    }

    private mutating func choose(_ chosen: Mode, _ word: String) throws(Problem) {
        guard mode == .serve else {
            throw Problem(message: "\(word) cannot be combined with another command, such as -t")
        }
        mode = chosen
    }

    static let usage = """
        usage: retentiond-recorder [--config FILE]            take notifications in the foreground
               retentiond-recorder [--config FILE] -t         check what a start opens
               retentiond-recorder [--config FILE] -T         print the effective configuration
               retentiond-recorder [--config FILE] --reload   reload the running recorder; exit status:
                                                              0 loaded, 1 refused, 2 no verdict
               retentiond-recorder -v | -V                    print the version, and how it was built

        The default FILE is \(defaultConfigurationPath); its object "notifications" is for the
        recorder. It runs as whoever starts it. Root is refused without --allow-root, also
        with -t.
        Signals: HUP reloads, QUIT answers the open requests and stops, TERM and INT do so within
        drainMilliseconds, USR1 reopens the log file.

        """
}
