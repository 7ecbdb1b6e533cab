public import SignedPayloads

/// What `retentiond.json` says, validated: every value is in its range, every cross-check holds.
///
/// A property is named as its key in the file; the value it is declared with is the key's default. What else there is to say
/// of a key stands in ``settings``, from which the reader, `-T`, the rule for HUP, the schema and the manual follow.
public struct Configuration: Sendable, Hashable {
    /// `listen`: where FastCGI requests are accepted.
    public var listen = ListenAddress.unix(path: "/run/retentiond/retentiond.sock")
    /// `listenMode`: permission bits of the unix socket, in the file an octal string such as `"0660"`.
    public var listenMode: UInt32 = 0o660
    /// `listenOwner`: user that owns the unix socket; nil means `user`.
    public var listenOwner: String?
    /// `listenGroup`: group of the unix socket, the one nginx runs in.
    public var listenGroup = "www-data"
    /// `backlog`: connections the kernel queues; a full queue is an immediate 502 in nginx.
    public var backlog = 511

    /// `user`: the whole pool runs as this user; nil means as started.
    public var user: String?
    /// `group`: the whole pool runs in this group; nil means the group of `user`, or as started.
    public var group: String?

    /// `workers`: number of worker processes; 0 means one for each processor core.
    public var workers = 0
    /// `maxRequests`: a worker is replaced after about this many requests; 0 means never.
    public var maxRequests = 0
    /// `drainMilliseconds`: how long TERM waits for requests in flight.
    public var drainMilliseconds = 5000
    /// `reloadIntervalMilliseconds`: reloads begin at least this far apart; 0 means as fast as they come.
    public var reloadIntervalMilliseconds: Int64 = 1000

    /// `dataDirectory`: where `*.rules` and `*.facts` files are pushed to.
    public var dataDirectory = "/var/lib/retentiond/data"
    /// `stateDirectory`: last good generation, reload verdict, chain hints and keys made by us.
    public var stateDirectory = "/var/lib/retentiond/state"
    /// `pidFile`: where the supervisor writes its process number.
    public var pidFile = "/run/retentiond/retentiond.pid"

    /// `anchors`: PEM files that replace Apple's built-in roots; empty means Apple's.
    public var anchors: [String] = []
    /// `apps`: the apps whose requests are answered; never empty, no `appAppleId` twice.
    public var apps: [AppConfiguration]

    /// `maxSignedAgeSeconds`: a retention message signed longer ago is refused; 0 means never.
    public var maxSignedAgeSeconds: Int64 = 300
    /// `validityTime`: the instant at which certificates of a retention message must be valid.
    public var validityTime = ValidityTime.now
    /// `revocation`: whether OCSP is asked.
    public var revocation = Revocation.off
    /// `noAnswer`: what is sent when the rules say "none".
    public var noAnswer = NoAnswer.status
    /// `deadlineMilliseconds`: from when nginx received a request; a later answer is a 503.
    public var deadlineMilliseconds: Int64 = 600

    /// `limits`: how many bytes of each kind are accepted.
    public var limits = ByteLimits()

    /// `allowDowngrade`: whether rules older than the loaded ones may be loaded.
    public var allowDowngrade = false
    /// `allowRemoteFastCGI`: whether `listen` may be an address other than loopback.
    public var allowRemoteFastCGI = false
    /// `coreLimit`: RLIMIT_CORE of the pool in bytes; cores hold payloads, so 0.
    public var coreLimit: Int64 = 0

    /// `log`: level, format and the decisions file.
    public var log = LogSettings()
    /// `slowMilliseconds`: a request that took longer is logged with the time of its verification and
    /// in all; 0 means never.
    public var slowMilliseconds: Int64 = 200
    /// `identifierKeyFile`: key that turns subscriber identifiers into those of the decision log; nil means one made
    /// once in `stateDirectory`.
    public var identifierKeyFile: String?

    /// The defaults, for these apps.
    public init(apps: [AppConfiguration]) {
        self.apps = apps
    }

    /// The user that owns the unix socket: `listenOwner`, else `user`, else nil for as started.
    public var socketOwner: String? { listenOwner ?? user }

    /// The directory of the unix socket; nil for another kind of socket.
    public var socketDirectory: String? {
        guard case .unix(let path) = listen, let slash = path.lastIndex(of: "/"), slash > path.startIndex
        else {
            return nil
        }
        return String(path[..<slash])
    }

    /// `identifierKeyFile`, or where the daemon makes one.
    public var identifierKeyPath: String { identifierKeyFile ?? "\(stateDirectory)/identifier.key" }

    /// Whether any anchor other than Apple's built-in roots is trusted; said at start, in `-t` and in `status`.
    public var trustsCustomAnchors: Bool {
        !anchors.isEmpty || apps.contains { !$0.anchors.isEmpty }
    }
}
