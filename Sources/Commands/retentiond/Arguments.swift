internal import Pool

/// The arguments that a person typed, or that a supervisor wrote for a child.
struct Arguments: Sendable, Hashable {
    enum Mode: Sendable, Hashable {
        /// The pool's supervisor, or one worker when the spawner placed a FastCGI socket at descriptor 0.
        case serve
        case test
        case printConfiguration
        case reload
        case served(withRules: Bool)
        case version
        case versionAndBuild
        case help
        case cgi
        case load
        case worker
    }

    struct Problem: Error, Sendable, Hashable {
        let message: String
    }

    static let defaultConfigurationPath = "/etc/retentiond/retentiond.json"

    var mode = Mode.serve
    var configurationPath = Self.defaultConfigurationPath
    /// True when this process may be root, although it parses bytes from outside.
    var allowsRoot = false
    /// `--load`: the number of the load.
    var sequence = 0
    /// `--load`: where the loader takes the data files from.
    var source = LoadSource.pushed
    /// `--load`: the number of the generation that serves.
    var serving: Int?
    /// `--worker`: the directory of the generation that the worker is to serve; empty for the current one as it stands.
    var generation = ""
    /// `--worker`: the worker's row in the shared counters.
    var slot: Int?

    init(_ words: [String]) throws(Problem) {
        var rest = words[...]
        while let word = rest.popFirst() {
            switch word {
            case "--config", "-c": configurationPath = try Self.value(of: word, from: &rest)
            case "-t": try choose(.test, word)
            case "-T": try choose(.printConfiguration, word)
            case "--reload": try choose(.reload, word)
            case "--served": try choose(.served(withRules: false), word)
            case "--served-rules": try choose(.served(withRules: true), word)
            case "-v", "--version": try choose(.version, word)
            case "-V": try choose(.versionAndBuild, word)
            case "-h", "-?", "--help": try choose(.help, word)
            case "--cgi": try choose(.cgi, word)
            case "--load": try choose(.load, word)
            case "--worker": try choose(.worker, word)
            case "--allow-root": allowsRoot = true
            case "--source":
                let text = try Self.value(of: word, from: &rest)
                guard let chosen = LoadSource(rawValue: text) else {
                    throw Problem(message: "\(word): \(text) is no source")
                }
                source = chosen
            case "--serving": serving = try Self.number(word, from: &rest)
            case "--generation": generation = try Self.value(of: word, from: &rest)
            case "--sequence": sequence = try Self.number(word, from: &rest)
            case "--slot": slot = try Self.number(word, from: &rest)
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

    private static func value(of word: String, from rest: inout ArraySlice<String>) throws(Problem) -> String
    {
        guard let value = rest.popFirst(), !value.isEmpty else {
            throw Problem(message: "\(word) needs a value")
        }
        return value
    }

    private static func number(_ word: String, from rest: inout ArraySlice<String>) throws(Problem) -> Int {
        let text = try value(of: word, from: &rest)
        guard let number = Int(text), number >= 0 else {
            throw Problem(message: "\(word): \(text) is not a number")
        }
        return number
    }

    static let usage = """
        usage: retentiond [--config FILE]            run the pool in the foreground
               retentiond [--config FILE] -t         check everything that a start opens
               retentiond [--config FILE] -T         print the effective configuration
               retentiond [--config FILE] --reload   reload the running pool; exit status: 0 loaded, 1 refused,
                                                     2 no verdict
               retentiond [--config FILE] --served   print which data files the running pool serves, as JSON
               retentiond [--config FILE] --served-rules
                                                     the same, with the bytes of the rules files
               retentiond [--config FILE] --cgi      answer one request as CGI/1.1
               retentiond -v | -V                    print the version, and how it was built

        The default FILE is \(defaultConfigurationPath). With a FastCGI socket as descriptor 0,
        retentiond serves as a single worker. The pool runs as whoever starts it. Root is refused
        without --allow-root, also with -t.
        Signals: HUP reloads, QUIT finishes the open requests and stops, TERM and INT do so within
        drainMilliseconds, USR1 reopens the log files.

        """
}
